#include "futexsim/kernel/spin_lock.hpp"

namespace futexsim {
namespace {

/// arch_spin_lock() of x86 until v4.1 (arch/x86/include/asm/spinlock.h): a waiter draws a ticket
/// from `tail`, and all of them spin on the word until `head` shows theirs.
///
/// {head, tail} have 16 bits each here, 8 each in kernels for fewer than 256 CPUs. That is no
/// parameter: both lie on one line either way, and where the lock lies among others is said by the
/// kernel's bucket layout. Without the slow path of paravirtual spinlocks (v3.12 and later).
class TicketLock final : public SpinLock {
 public:
  Task<> acquire(Thread& thread, Word& lock) override {
    Cpu& cpu = thread.cpu();
    const std::uint32_t found = co_await cpu.fetch_add(lock, 1U << tail_shift);
    const std::uint32_t ticket = found >> tail_shift;
    if ((found & head_mask) == ticket) co_return;
    co_await cpu.spin_until(lock, [ticket](std::uint32_t v) { return (v & head_mask) == ticket; });
  }

  /// An addition to `head` without LOCK: a load, and a store of these bytes alone, so that tickets
  /// drawn in between aren't lost. Nobody but the holder writes `head`.
  Task<> release(Thread& thread, Word& lock) override {
    Cpu& cpu = thread.cpu();
    const std::uint32_t value = co_await cpu.load(lock);
    co_await cpu.store_part(lock, head_mask, (value + 1) & head_mask);
  }

 private:
  static constexpr std::uint32_t head_mask = 0x0000'ffff;
  static constexpr std::uint32_t tail_shift = 16;
};

const Declaration<NoParameters> declaration("ticket", "ticket spinlock, x86-64 until v4.1");
const Register<SpinLock, const LockContext&> ticket{
    declaration,
    [](const NoParameters&, const LockContext&) { return std::make_unique<TicketLock>(); }};

}  // namespace
}  // namespace futexsim
