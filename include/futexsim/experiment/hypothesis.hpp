#pragma once

#include <map>
#include <string>

#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim {

/// A file of configs/hypotheses: a cause that might explain published rows which the model misses,
/// as changes to the files of machines and kernels. Nothing assumes it unless asked to.
struct Hypothesis {
  using Changes = std::map<std::string, Cursor>;  ///< values by JSON pointer

  std::string name;
  std::string description;
  std::map<std::string, Changes> machines;  ///< by name
  std::map<std::string, Changes> kernels;   ///< by name

  static const Declaration<Hypothesis>& declaration();
};

}  // namespace futexsim
