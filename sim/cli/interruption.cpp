#include "interruption.hpp"

#include <csignal>

namespace futexsim::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

void handle(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  const bool under_nohup = hang_up.sa_handler == SIG_IGN;
  if (!under_nohup) sigaction(SIGHUP, &action, nullptr);
}

}  // namespace

Interruption::Interruption(bool writes_file) {
  const auto flags = static_cast<int>(writes_file ? SA_RESTART : SA_RESTART | SA_RESETHAND);
  handle([](int) { asked_to_stop = 1; }, flags);
}

Interruption::~Interruption() {
  handle(SIG_DFL, 0);
}

bool Interruption::requested() {
  return asked_to_stop != 0;
}

}  // namespace futexsim::cli
