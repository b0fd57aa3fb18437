#pragma once

#include <string>

namespace futexsim {

/// Of the source: "0.1.0+55fcb69", without the commit where there is none. Says nothing of the
/// compiler or of uncommitted changes, so that equal results stay equal bytes.
std::string version();

}  // namespace futexsim
