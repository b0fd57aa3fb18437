#include "futexsim/hardware/stalls.hpp"

#include <algorithm>
#include <utility>

namespace futexsim {

const Declaration<StallParameters>& StallParameters::declaration() {
  using P = StallParameters;
  static const auto declaration =
      Declaration<P>("stalls", "stops of a CPU while no other one is idle")
          .required("rate", &P::rate,
                    {.unit = "1/s", .help = "of each CPU", .min = 0.001, .max = 10'000})
          .required("duration", &P::duration,
                    {.unit = "us", .help = "of each", .min = 1, .max = 10'000})
          .check([](const P& stalls, const Cursor& at) {
            if (stalls.rate.value * stalls.duration.value > 5e5) {
              at.refuse(
                  "stalls that leave a CPU half of its time: rate times duration at most "
                  "500000 us a second");
            }
          });
  return declaration;
}

Stalls::Stalls(Simulation& simulation, const StallParameters& parameters, std::deque<Cpu>& cpus,
               RandomStream random)
    : simulation_(simulation),
      cpus_(cpus),
      random_(std::move(random)),
      mean_interval_(1'000'000'000'000'000 /
                     static_cast<std::uint64_t>(parameters.rate.scaled(1000)) / cpus.size()),
      duration_{parameters.duration.scaled(1'000'000)} {
  simulation.join(*this);
  schedule_next();
}

void Stalls::schedule_next() {
  const auto interval = static_cast<std::int64_t>(random_.exponential(mean_interval_));
  simulation_.schedule(*this, simulation_.now() + Picoseconds{interval});
}

void Stalls::fire() {
  Cpu& victim = cpus_[random_.below(cpus_.size())];
  const bool all_busy =
      std::none_of(cpus_.begin(), cpus_.end(), [](const Cpu& cpu) { return cpu.is_idle(); });
  if (all_busy) victim.stall(duration_);
  schedule_next();
}

}  // namespace futexsim
