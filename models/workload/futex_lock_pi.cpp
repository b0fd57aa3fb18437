// `perf bench futex lock-pi`: every thread locks a PI futex, sleeps a microsecond and unlocks it
// (tools/perf/bench/futex-lock-pi.c).

#include "futexsim/kernel/futex.hpp"
#include "futexsim/workload/futex_arrays.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {
namespace {

struct FutexLockPiParameters : ThreadParameters {
  bool multi = false;
  bool shared = false;
  bool user_space_first = false;

  static const Declaration<FutexLockPiParameters>& declaration();
};

const Declaration<FutexLockPiParameters>& FutexLockPiParameters::declaration() {
  using P = FutexLockPiParameters;
  static const auto declaration =
      ThreadParameters::begin<P>("futex-lock-pi",
                                 "perf bench futex lock-pi: every thread locks a PI futex, sleeps "
                                 "a microsecond and unlocks it",
                                 false)
          .optional("multi", &P::multi, {.help = "a futex for each thread (perf's -M)"})
          .optional("shared", &P::shared, {.help = "process-shared futexes (perf's -S)"})
          .optional("user_space_first", &P::user_space_first,
                    {.help = "a cmpxchg of the futex word before each system call, as glibc's "
                             "mutexes do it; perf doesn't"});
  return declaration;
}

class FutexLockPi final : public RunningWorkload {
 public:
  static constexpr bool uses_timers = true;

  FutexLockPi(const FutexLockPiParameters& parameters, const WorkloadContext& context)
      : RunningWorkload(context),
        kernel_(context.kernel),
        user_space_first_(parameters.user_space_first) {
    const Mm& mm = threads().front().mm();
    const std::uint32_t futexes = parameters.multi ? parameters.threads : 1;
    const FutexArrays arrays(mm, futexes, 1, context.random);
    for (std::uint32_t i = 0; i < futexes; ++i) {
      const std::uint64_t address = arrays.address(i, 0);
      addresses_.push_back(address);
      futexes_.push_back(
          {.key = parameters.shared ? mm.shared_key(address) : mm.private_key(address),
           .word = {.line = &context.hardware.memory().allocate(mm.main_node())}});
    }
    start(context.random);
  }

  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t thread) const override {
    const std::uint64_t address = addresses_[thread % addresses_.size()];
    return {address, address};
  }

 private:
  Task<> worker(Thread& thread) {
    Futex& futex = futexes_[thread.number() % futexes_.size()];
    for (;;) {
      co_await lock(thread, futex);
      co_await nanosleep(kernel_, thread, microseconds(1));
      co_await unlock(thread, futex);
      count_operation(thread);
    }
  }

  Task<> lock(Thread& thread, Futex& futex) {
    if (user_space_first_) {
      const std::uint32_t found =
          co_await thread.cpu().compare_exchange(futex.word, 0, tid(thread));
      if (found == 0) co_return;
    }
    co_await futex_lock_pi(kernel_, thread, futex);
  }

  Task<> unlock(Thread& thread, Futex& futex) {
    if (user_space_first_) {
      const std::uint32_t found =
          co_await thread.cpu().compare_exchange(futex.word, tid(thread), 0);
      if (found == tid(thread)) co_return;
    }
    co_await futex_unlock_pi(kernel_, thread, futex);
  }

  /// Threads begin spread over the time that one holds the futex.
  void start(RandomStream& random) {
    const auto spread = static_cast<std::uint64_t>(Scheduler::timer_slack.count) + 1;
    for (Thread& thread : threads()) {
      const Picoseconds begin{static_cast<std::int64_t>(random.below(spread))};
      kernel_.scheduler().start(thread, worker(thread), begin);
    }
  }

  Kernel& kernel_;
  bool user_space_first_;
  std::vector<std::uint64_t> addresses_;
  std::deque<Futex> futexes_;
};

const Register<Workload> futex_lock_pi_workload{
    FutexLockPiParameters::declaration(), WorkloadOf<FutexLockPi, FutexLockPiParameters>::make};

}  // namespace
}  // namespace futexsim
