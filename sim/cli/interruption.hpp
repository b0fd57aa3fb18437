#pragma once

namespace futexsim::cli {

/// While it lives, SIGINT, SIGTERM or SIGHUP only asks for an end. Make it before the Output whose
/// rows it protects. A second signal is ignored where a file is written, whose finished rows it
/// would lose; on standard output, which may block for long, it kills.
class Interruption {
 public:
  explicit Interruption(bool writes_file);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested();
};

}  // namespace futexsim::cli
