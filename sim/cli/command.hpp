#pragma once

#include <span>
#include <string>
#include <vector>

namespace futexsim::cli {

enum ExitStatus : int {
  done = 0,
  comparison_failed = 1,
  bad_input = 2,
  internal_error = 70,
  interrupted = 130,
};

using Arguments = std::vector<std::string>;

/// What follows `futexsim`: its name, one line about it, and what it does with its arguments.
struct Command {
  std::string name;
  std::string summary;
  int (*run)(const Arguments& arguments);
};

int bench(const Arguments& arguments);
int calibrate(const Arguments& arguments);
int hash(const Arguments& arguments);
int list(const Arguments& arguments);
int machine(const Arguments& arguments);
int run(const Arguments& arguments);
int schema(const Arguments& arguments);
int sweep(const Arguments& arguments);
int validate(const Arguments& arguments);

}  // namespace futexsim::cli
