#pragma once

#include <string>

#include "futexsim/parts/input_error.hpp"

/// The message of the InputError that `call` throws; "no error" if it throws none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const futexsim::InputError& error) {
    return error.what();
  }
  return "no error";
}
