# Writes version.cpp with the source's version; cmake -D SOURCE= -D VERSION= -D OUTPUT= -P this.
set(commit)
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    set(commit "+${hash}")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "futexsim/experiment/version.hpp"

namespace futexsim {

std::string version() {
  return "@VERSION@@commit@";
}

}  // namespace futexsim
]])
