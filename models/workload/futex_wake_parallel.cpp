// `perf bench futex wake-parallel`: threads block on one futex, and several others, which no CPU
// is prescribed to, wake an equal part of them each (tools/perf/bench/futex-wake-parallel.c).

#include <deque>
#include <limits>
#include <optional>

#include "blocked_threads.hpp"

namespace futexsim {
namespace {

struct FutexWakeParallelParameters : BlockedThreadsParameters {
  std::optional<std::uint32_t> nwakers = {};  ///< absent: as many as block

  std::uint32_t wakers() const { return nwakers.value_or(threads); }

  static const Declaration<FutexWakeParallelParameters>& declaration();
};

const Declaration<FutexWakeParallelParameters>& FutexWakeParallelParameters::declaration() {
  using P = FutexWakeParallelParameters;
  static const auto declaration =
      BlockedThreadsParameters::begin<P>("futex-wake-parallel",
                                         "perf bench futex wake-parallel: threads block on one "
                                         "futex, several others wake a part of them each")
          .optional(
              "nwakers", &P::nwakers,
              {.unit = "threads",
               .help = "that wake (perf's -w), a divisor of threads; absent: as many as block",
               .min = 1})
          .check([](const P& workload, const Cursor& at) {
            if (!workload.nwakers || workload.threads % *workload.nwakers == 0) return;
            at.at("nwakers").refuse("a divisor of the " + std::to_string(workload.threads) +
                                    " threads");
          });
  return declaration;
}

/// pthread_barrier_wait(): who isn't the last sleeps on a futex.
class Barrier {
 public:
  Barrier(const Futex& futex, std::uint32_t parties) : futex_(futex), parties_(parties) {
    arrived_.line = futex_.word.line;
  }

  Task<> wait(Kernel& kernel, Thread& thread) {
    Cpu& cpu = thread.cpu();
    if (co_await cpu.fetch_add(arrived_, 1) + 1 == parties_) {
      co_await cpu.store(futex_.word, 1);
      co_await futex_wake(kernel, thread, futex_, std::numeric_limits<std::uint32_t>::max());
      co_return;
    }
    while (co_await cpu.load(futex_.word) == 0) co_await futex_wait(kernel, thread, futex_, 0);
  }

 private:
  Futex futex_;
  Word arrived_;
  std::uint32_t parties_;
};

class FutexWakeParallel final : public BlockedThreads {
 public:
  static Measure measure() { return {.name = "latency_ms", .is_steady = false}; }

  /// A waker goes to the next of the process's CPUs after the main thread's, one each as long as
  /// they suffice: where the scheduler, which looks for an idle CPU, might put it while all others
  /// sleep. It stays there.
  static Placement place(const FutexWakeParallelParameters& wanted, const Cursor& at,
                         const Topology& topology) {
    Placement out = Placement::of(wanted, at, topology);
    ThreadParameters main_and_wakers = wanted;
    main_and_wakers.threads = 1 + wanted.wakers();
    const Placement with_wakers = Placement::of(main_and_wakers, at, topology);
    out.unbound.assign(with_wakers.threads.begin() + 1, with_wakers.threads.end());
    out.threads_of_process.front() += wanted.wakers();
    return out;
  }

  FutexWakeParallel(const FutexWakeParallelParameters& parameters, const WorkloadContext& context)
      : BlockedThreads(context, parameters.shared),
        barrier_(make_futex(barrier_word, context.hardware.memory().allocate(
                                              context.placement.main_nodes.front())),
                 parameters.wakers() + 1),
        nwakes_(parameters.threads / parameters.wakers()) {
    for (const Placement::ThreadPlace& place : context.placement.unbound) {
      const auto number = static_cast<std::uint32_t>(blocked() + 1 + wakers_.size());
      wakers_.emplace_back(number, main_thread().mm(), context.hardware.cpu(place.cpu));
    }
    start(wake_all(), context.random);
  }

 private:
  static constexpr std::uint32_t barrier_word = 64;  ///< on another line than the futex

  Task<> wake_all() {
    for (Thread& waker : wakers_) {
      co_await kernel().scheduler().wake_up_new(main_thread(), waker, wake_part(waker));
    }
    co_await barrier_.wait(kernel(), main_thread());
  }

  Task<> wake_part(Thread& waker) {
    const Cpu& cpu = waker.cpu();
    co_await barrier_.wait(kernel(), waker);
    const Picoseconds begin = cpu.now();
    co_await futex_wake(kernel(), waker, futex(), nwakes_);
    latencies_.push_back(in_milliseconds(cpu.now() - begin));
    if (latencies_.size() < wakers_.size()) co_return;
    for (const double latency : latencies_) measured(latency);
  }

  Barrier barrier_;
  std::uint32_t nwakes_;
  std::deque<Thread> wakers_;
  std::vector<double> latencies_;
};

const Register<Workload> futex_wake_parallel{
    FutexWakeParallelParameters::declaration(),
    WorkloadOf<FutexWakeParallel, FutexWakeParallelParameters>::make};

}  // namespace
}  // namespace futexsim
