#include "futexsim/hardware/core.hpp"

#include <cassert>

#include "futexsim/hardware/cpu.hpp"

namespace futexsim {

void Core::enter(Cpu& cpu) {
  change_active(cpu, true);
}

void Core::leave(Cpu& cpu) {
  change_active(cpu, false);
}

/// Siblings that compute are settled at their old speed, and go on at the new one.
void Core::change_active(Cpu& cpu, bool active) {
  assert(cpu.active_ != active);
  const auto computing = [&](const Cpu* other) {
    return other != &cpu && other->phase_ == Cpu::Phase::computing;
  };
  for (Cpu* other : cpus_) {
    if (computing(other)) other->settle();
  }
  cpu.active_ = active;
  active_ = active ? active_ + 1 : active_ - 1;
  for (Cpu* other : cpus_) {
    if (computing(other)) other->run_work();
  }
}

}  // namespace futexsim
