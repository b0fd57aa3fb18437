#include "qspinlock.hpp"

namespace futexsim {
namespace {

/// The native slow path: first come, first served.
class NativeSpinLock final : public QueuedSpinLock<NativeSpinLock, McsNode> {
 public:
  explicit NativeSpinLock(Hardware& hardware) : QueuedSpinLock(hardware) {}

  std::suspend_never init_node(Cpu&, McsNode&) { return {}; }
  std::suspend_never wait_head(Cpu&, Word&, McsNode&) { return {}; }

  Task<bool> try_clear_tail(Cpu& cpu, Word& lock, std::uint32_t value, McsNode&) {
    const std::uint32_t found = co_await cpu.compare_exchange(lock, value, qspinlock::locked_value);
    co_return found == value;
  }

  auto lock_handoff(Cpu& cpu, Word&, McsNode&, std::uint32_t next) {
    return cpu.store(decode_tail(next).locked, 1);
  }
};

const Declaration<NoParameters> declaration("qspinlock", "queued spinlock, x86-64 since v4.2");
const Register<SpinLock, const LockContext&> native{
    declaration, [](const NoParameters&, const LockContext& context) {
      return std::make_unique<NativeSpinLock>(context.hardware);
    }};

}  // namespace
}  // namespace futexsim
