#include "futexsim/kernel/spin_lock.hpp"

namespace futexsim {
namespace {

/// virt_spin_lock() (arch/x86/include/asm/qspinlock.h), for guests without paravirtual spinlocks.
class TestAndSetLock final : public SpinLock {
 public:
  Task<> acquire(Thread& thread, Word& lock) override {
    Cpu& cpu = thread.cpu();
    std::uint32_t found = 1;
    while (found != 0) {
      co_await cpu.spin_until(lock, [](std::uint32_t value) { return value == 0; });
      found = co_await cpu.compare_exchange(lock, 0, 1);
    }
  }

  Task<> release(Thread& thread, Word& lock) override { co_await thread.cpu().store(lock, 0); }
};

const Declaration<NoParameters> declaration("test-and-set", "test-and-set spinlock of guests");
const Register<SpinLock, const LockContext&> test_and_set{
    declaration,
    [](const NoParameters&, const LockContext&) { return std::make_unique<TestAndSetLock>(); }};

}  // namespace
}  // namespace futexsim
