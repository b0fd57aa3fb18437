// `perf bench futex wake`: threads block on one futex, and the main thread wakes them, some at a
// time (tools/perf/bench/futex-wake.c).

#include "blocked_threads.hpp"

namespace futexsim {
namespace {

struct FutexWakeParameters : BlockedThreadsParameters {
  std::uint32_t nwakes = 1;

  static const Declaration<FutexWakeParameters>& declaration();
};

const Declaration<FutexWakeParameters>& FutexWakeParameters::declaration() {
  using P = FutexWakeParameters;
  static const auto declaration =
      BlockedThreadsParameters::begin<P>(
          "futex-wake", "perf bench futex wake: threads block on one futex, one thread wakes them")
          .optional("nwakes", &P::nwakes,
                    {.unit = "threads", .help = "woken by one call (perf's -w)", .min = 1});
  return declaration;
}

class FutexWake final : public BlockedThreads {
 public:
  static Measure measure() { return {.name = "wakeup_ms", .is_steady = false}; }

  FutexWake(const FutexWakeParameters& parameters, const WorkloadContext& context)
      : BlockedThreads(context, parameters.shared), nwakes_(parameters.nwakes) {
    start(wake_all(), context.random);
  }

 private:
  Task<> wake_all() {
    const Cpu& cpu = main_thread().cpu();
    const Picoseconds begin = cpu.now();
    std::uint32_t woken = 0;
    while (woken != blocked()) {
      woken += co_await futex_wake(kernel(), main_thread(), futex(), nwakes_);
    }
    measured(in_milliseconds(cpu.now() - begin));
  }

  std::uint32_t nwakes_;
};

const Register<Workload> futex_wake_workload{FutexWakeParameters::declaration(),
                                             WorkloadOf<FutexWake, FutexWakeParameters>::make};

}  // namespace
}  // namespace futexsim
