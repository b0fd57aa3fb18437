#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace futexsim {

class Cpu;

/// A core's SMT contexts and how fast each computes while others do.
class Core {
 public:
  /// `speed_per_mille[k]`: of a thread while k of its siblings compute as well.
  explicit Core(std::vector<std::int64_t> speed_per_mille)
      : speed_per_mille_(std::move(speed_per_mille)) {}

  void add(Cpu& cpu) { cpus_.push_back(&cpu); }
  std::int64_t speed_per_mille() const { return speed_per_mille_[active_ - 1]; }

  /// The CPU begins to compute, or begins to wait: its siblings' computations are re-timed at once.
  void enter(Cpu& cpu);
  void leave(Cpu& cpu);

 private:
  void change_active(Cpu& cpu, bool active);

  std::vector<std::int64_t> speed_per_mille_;
  std::vector<Cpu*> cpus_;
  std::size_t active_ = 0;
};

}  // namespace futexsim
