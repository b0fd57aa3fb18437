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
}

}  // namespace

Interruption::Interruption() {
  handle([](int) { asked_to_stop = 1; }, static_cast<int>(SA_RESETHAND | SA_RESTART));
}

Interruption::~Interruption() {
  handle(SIG_DFL, 0);
}

bool Interruption::requested() {
  return asked_to_stop != 0;
}

}  // namespace futexsim::cli
