#pragma once

namespace futexsim::cli {

/// While it lives, the first SIGINT or SIGTERM only asks for an end, and a second one kills.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested();
};

}  // namespace futexsim::cli
