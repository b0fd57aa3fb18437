#pragma once

#include <deque>

#include "futexsim/engine/random.hpp"
#include "futexsim/hardware/cpu.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/quantity.hpp"

namespace futexsim {

/// Something beside the simulated threads that takes a whole CPU for a while, whatever it is doing:
/// firmware, or work of the system that finds no idle CPU. A conjecture (configs/hypotheses).
struct StallParameters {
  Quantity rate;      ///< of each CPU
  Quantity duration;  ///< of each

  static const Declaration<StallParameters>& declaration();
};

/// Stops one CPU of all at exponential intervals, while none is idle.
class Stalls final : public Actor {
 public:
  Stalls(Simulation& simulation, const StallParameters& parameters, std::deque<Cpu>& cpus,
         RandomStream random);

  void fire() override;

 private:
  void schedule_next();

  Simulation& simulation_;
  std::deque<Cpu>& cpus_;
  RandomStream random_;
  std::uint64_t mean_interval_;  ///< ps, of all CPUs together
  Picoseconds duration_;
};

}  // namespace futexsim
