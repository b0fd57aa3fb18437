// `perf bench futex requeue`: threads block on one futex, and the main thread moves them to
// another, some at a time (tools/perf/bench/futex-requeue.c).

#include <algorithm>

#include "blocked_threads.hpp"

namespace futexsim {
namespace {

struct FutexRequeueParameters : BlockedThreadsParameters {
  std::uint32_t nrequeue = 1;

  static const Declaration<FutexRequeueParameters>& declaration();
};

const Declaration<FutexRequeueParameters>& FutexRequeueParameters::declaration() {
  using P = FutexRequeueParameters;
  static const auto declaration =
      BlockedThreadsParameters::begin<P>("futex-requeue",
                                         "perf bench futex requeue: threads block on one futex, "
                                         "one thread moves them to another")
          .optional("nrequeue", &P::nrequeue,
                    {.unit = "threads", .help = "moved by one call (perf's -q)", .min = 1});
  return declaration;
}

class FutexRequeue final : public BlockedThreads {
 public:
  static Measure measure() { return {.name = "requeue_ms", .is_steady = false}; }

  FutexRequeue(const FutexRequeueParameters& parameters, const WorkloadContext& context)
      : BlockedThreads(context, parameters.shared),
        nrequeue_(std::min(parameters.nrequeue, parameters.threads)),
        futex2_(make_futex(1, line())) {
    start(requeue_all(), context.random);
  }

  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t) const override {
    return {address(0), address(1)};
  }

 private:
  /// Waking them all in the end isn't measured.
  Task<> requeue_all() {
    const Cpu& cpu = main_thread().cpu();
    const Picoseconds begin = cpu.now();
    std::uint32_t requeued = 0;
    while (requeued < blocked()) {
      requeued +=
          co_await futex_cmp_requeue(kernel(), main_thread(), futex(), futex2_, 0, nrequeue_, 0);
    }
    measured(in_milliseconds(cpu.now() - begin));
    co_await futex_wake(kernel(), main_thread(), futex2_, requeued);
  }

  std::uint32_t nrequeue_;
  Futex futex2_;
};

const Register<Workload> futex_requeue{FutexRequeueParameters::declaration(),
                                       WorkloadOf<FutexRequeue, FutexRequeueParameters>::make};

}  // namespace
}  // namespace futexsim
