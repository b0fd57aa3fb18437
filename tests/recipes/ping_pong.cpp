#include "futexsim/kernel/futex.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {
namespace {

/// Two threads take turns: each sleeps until the futex word names it, and then wakes the other.
class PingPong final : public RunningWorkload {
 public:
  PingPong(const ThreadParameters&, const WorkloadContext& context)
      : RunningWorkload(context),
        kernel_(context.kernel),
        address_(threads()[0].mm().heap_start()),
        turn_{.key = threads()[0].mm().private_key(address_),
              .word = {.line = &context.hardware.memory().allocate({0})}} {
    for (Thread& thread : threads()) kernel_.scheduler().start(thread, play(thread), {});
  }

  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t) const override {
    return {address_, address_};
  }

 private:
  Task<> play(Thread& thread) {
    const std::uint32_t me = thread.number();
    for (;;) {
      while (co_await thread.cpu().load(turn_.word) != me) {
        co_await futex_wait(kernel_, thread, turn_, 1 - me);
      }
      co_await thread.cpu().store(turn_.word, 1 - me);
      co_await futex_wake(kernel_, thread, turn_, 1);
      count_operation(thread);
    }
  }

  Kernel& kernel_;
  std::uint64_t address_;
  Futex turn_;
};

const auto declaration =
    ThreadParameters::begin<ThreadParameters>("ping-pong", "two threads wake each other", false)
        .check([](const ThreadParameters& workload, const Cursor& at) {
          if (workload.threads != 2) at.at("threads").refuse("2");
        });
const Register<Workload> ping_pong{declaration, WorkloadOf<PingPong, ThreadParameters>::make};

}  // namespace
}  // namespace futexsim
