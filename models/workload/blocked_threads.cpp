#include "blocked_threads.hpp"

namespace futexsim {
namespace {

/// Static variables lie in the executable's data, below the heap.
constexpr std::uint64_t below_heap = 1 << 20;
constexpr std::uint64_t offset_in_data = 0x8e0;

constexpr Picoseconds nap = microseconds(100'000);  // usleep(100000)

}  // namespace

BlockedThreads::BlockedThreads(const WorkloadContext& context, bool shared)
    : RunningWorkload(context),
      kernel_(context.kernel),
      shared_(shared),
      main_(blocked(), threads().front().mm(), threads().front().cpu()),
      address_(main_.mm().heap_start() - below_heap + offset_in_data),
      line_(context.hardware.memory().allocate(main_.mm().main_node())),
      futex_(make_futex(0, line_)) {}

Futex BlockedThreads::make_futex(std::uint32_t number, CacheLine& line) const {
  const std::uint64_t at = address(number);
  return {.key = shared_ ? main_.mm().shared_key(at) : main_.mm().private_key(at),
          .word = {.line = &line}};
}

/// The broadcast of a condition variable lets the threads go one after the other.
void BlockedThreads::start(Task<> main, RandomStream& random) {
  Scheduler& scheduler = kernel_.scheduler();
  scheduler.start(main_, after_a_nap(std::move(main)), {});
  const SchedulerTimes& times = scheduler.times();
  Picoseconds broadcast;
  for (Thread& thread : threads()) {
    const auto spread = static_cast<std::uint64_t>(times.wake_latency.count) + 1;
    const Picoseconds late{static_cast<std::int64_t>(random.below(spread))};
    scheduler.start(thread, block(thread), broadcast + late);
    broadcast += times.wake_up;
  }
}

Task<> BlockedThreads::block(Thread& thread) {
  co_await futex_wait(kernel_, thread, futex_, 0);
  count_operation(thread);
}

Task<> BlockedThreads::after_a_nap(Task<> main) {
  co_await nanosleep(kernel_, main_, nap);
  kernel_.forget_lock_waits();
  co_await std::move(main);
}

}  // namespace futexsim
