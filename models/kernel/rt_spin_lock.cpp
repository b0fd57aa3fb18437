#include <algorithm>
#include <cassert>
#include <deque>
#include <unordered_map>
#include <vector>

#include "futexsim/kernel/scheduler.hpp"
#include "futexsim/kernel/spin_lock.hpp"

namespace futexsim {
namespace {

/// spinlock_t of PREEMPT_RT (kernel/locking/rtmutex.c and spinlock_rt.c, v6.12): an rt_mutex_base
/// of a wait_lock, which is a true spinlock, a tree of waiters by priority, and the owner, all on
/// the bucket's line. The word is the owner: a thread's number + 1, shifted by one, and
/// RT_MUTEX_HAS_WAITERS.
///
/// Simplified: the tree is balanced, and its nodes, on the waiters' stacks, are one line each;
/// whether the owner runs is known without reading its task_struct; an owner that loses its CPU
/// shows that to a spinning waiter by the lock's line, which costs one transfer; migrate_disable()
/// and rcu_read_lock() around the lock take no time.
class RtSpinLock final : public SpinLock {
 public:
  explicit RtSpinLock(const LockContext& context)
      : hardware_(context.hardware),
        scheduler_(context.scheduler),
        raw_(SpinLockChoice("qspinlock").make(context)) {}

  Task<> acquire(Thread& thread, Word& lock) override {
    register_thread(thread);
    const std::uint32_t found =
        co_await thread.cpu().compare_exchange(lock, unlocked, owned_by(thread));
    if (found != unlocked) co_await slow_lock(thread, lock);
  }

  Task<> release(Thread& thread, Word& lock) override {
    const std::uint32_t owned = owned_by(thread);
    const std::uint32_t found = co_await thread.cpu().compare_exchange(lock, owned, unlocked);
    if (found != owned) co_await slow_unlock(thread, lock);
  }

  bool is_preemptible() const override { return true; }

  Task<> preempt_holder(Thread& thread, std::span<Word* const> locks) override {
    for (Word* const lock : locks) {
      Mutex& mutex = mutex_of(*lock);
      mutex.owner_is_preempted = true;
      if (!mutex.waiters.empty()) co_await thread.cpu().store_part(*lock, 0, 0);
    }
    co_await scheduler_.schedule(thread);
    for (Word* const lock : locks) mutex_of(*lock).owner_is_preempted = false;
  }
  SpinLock& raw() override { return *raw_; }

 private:
  static constexpr std::uint32_t unlocked = 0;
  static constexpr std::uint32_t has_waiters = 1;  // RT_MUTEX_HAS_WAITERS
  static constexpr std::uint32_t taken = ~0U;      // no value of the word

  /// struct rt_mutex_waiter
  struct Waiter {
    Thread* thread;
    std::uint32_t priority;
  };

  /// A lock that somebody has had to wait for.
  struct Mutex {
    Word wait_lock;
    std::vector<Waiter> waiters;  ///< by priority, then first come, first served
    bool owner_is_preempted = false;
  };

  struct TaskStruct {
    Thread* thread = nullptr;
    Word waiter;  ///< its rt_mutex_waiter; no line until it first waits
  };

  static std::uint32_t owned_by(const Thread& thread) { return (thread.number() + 1) << 1; }
  static std::uint32_t owner_in(std::uint32_t value) { return value & ~has_waiters; }
  Thread& owner_of(std::uint32_t value) { return *tasks_[(value >> 1) - 1].thread; }

  void register_thread(Thread& thread) {
    if (tasks_.size() <= thread.number()) tasks_.resize(thread.number() + 1);
    tasks_[thread.number()].thread = &thread;
  }

  Mutex& mutex_of(Word& lock) {
    Mutex& mutex = mutexes_[&lock];
    mutex.wait_lock.line = lock.line;
    return mutex;
  }

  /// On the thread's stack.
  Word& waiter_of(const Thread& thread) {
    Word& waiter = tasks_[thread.number()].waiter;
    if (waiter.line == nullptr) {
      const Cpu& cpu = thread.cpu();
      waiter.line = &hardware_.memory().allocate(hardware_.topology().node_of(cpu.id()));
      hardware_.memory().place(*waiter.line, cpu.core_id());
    }
    return waiter;
  }

  /// rtlock_slowlock()
  Task<> slow_lock(Thread& thread, Word& lock) {
    assert(thread.state() == Thread::State::running && "no other wait has begun");
    Mutex& mutex = mutex_of(lock);
    co_await raw_->acquire(thread, mutex.wait_lock);
    std::uint32_t found = co_await try_to_take(thread, lock, mutex);
    if (found != taken) {
      thread.set_rtlock_wait();
      co_await enqueue(thread, mutex);
      if (is_top(thread, mutex) && owner_in(found) != 0) {
        co_await scheduler_.inherit_priority(thread, owner_of(found));
      }
      for (;;) {
        found = co_await try_to_take(thread, lock, mutex);
        if (found == taken) break;
        const bool is_first = is_top(thread, mutex);
        co_await raw_->release(thread, mutex.wait_lock);
        bool owner_changed = false;
        if (is_first && owner_in(found) != 0) {
          owner_changed = co_await spin_on_owner(thread, lock, mutex, owner_in(found));
        }
        if (!owner_changed) co_await scheduler_.schedule(thread);
        co_await raw_->acquire(thread, mutex.wait_lock);
        thread.set_rtlock_wait();
      }
      thread.set_running();
    }
    co_await raw_->release(thread, mutex.wait_lock);
  }

  /// try_to_take_rt_mutex(): `taken`, or the word that it found. Requires the wait_lock.
  Task<std::uint32_t> try_to_take(Thread& thread, Word& lock, Mutex& mutex) {
    Cpu& cpu = thread.cpu();
    const std::uint32_t found = co_await cpu.fetch_or(lock, has_waiters);
    if (owner_in(found) != 0 || !may_take(thread, mutex)) co_return found;
    const auto own = std::find_if(mutex.waiters.begin(), mutex.waiters.end(),
                                  [&](const Waiter& waiter) { return waiter.thread == &thread; });
    if (own != mutex.waiters.end()) {
      mutex.waiters.erase(own);
      co_await cpu.store(waiter_of(thread), 0);
    }
    co_await cpu.store(lock, owned_by(thread) | (mutex.waiters.empty() ? 0 : has_waiters));
    co_return taken;
  }

  /// The top waiter, or who is allowed to steal the lock from it (rt_mutex_steal()): a more urgent
  /// thread, and of SCHED_OTHER an equal one.
  static bool may_take(const Thread& thread, const Mutex& mutex) {
    if (mutex.waiters.empty() || is_top(thread, mutex)) return true;
    const std::uint32_t top = mutex.waiters.front().priority;
    return thread.priority() > top || (thread.priority() == top && top == 0);
  }

  static bool is_top(const Thread& thread, const Mutex& mutex) {
    return mutex.waiters.front().thread == &thread;
  }

  /// rt_mutex_enqueue(): reads the nodes on the way down the tree, and hangs its own below the
  /// last.
  Task<> enqueue(Thread& thread, Mutex& mutex) {
    Cpu& cpu = thread.cpu();
    std::size_t low = 0;
    std::size_t high = mutex.waiters.size();
    Word* parent = nullptr;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      parent = &waiter_of(*mutex.waiters[middle].thread);
      co_await cpu.load(*parent);
      if (mutex.waiters[middle].priority >= thread.priority()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (parent != nullptr) co_await cpu.store(*parent, thread.number());
    co_await cpu.store(waiter_of(thread), thread.number());
    mutex.waiters.insert(mutex.waiters.begin() + static_cast<std::ptrdiff_t>(low),
                         {&thread, thread.priority()});
  }

  /// rtmutex_spin_on_owner(): false where the waiter had better sleep.
  Task<bool> spin_on_owner(Thread& thread, Word& lock, const Mutex& mutex, std::uint32_t owner) {
    const Thread& running = owner_of(owner);
    const std::uint32_t value = co_await thread.cpu().spin_until(lock, [&](std::uint32_t v) {
      return owner_in(v) != owner || mutex.owner_is_preempted || !scheduler_.runs(running) ||
             !is_top(thread, mutex) || scheduler_.need_resched(thread);
    });
    co_return owner_in(value) != owner;
  }

  /// rt_mutex_slowunlock(): the top waiter stays queued until it takes the lock, so that a more
  /// urgent thread can come before it.
  Task<> slow_unlock(Thread& thread, Word& lock) {
    Mutex& mutex = mutex_of(lock);
    co_await raw_->acquire(thread, mutex.wait_lock);
    assert(!mutex.waiters.empty() && "RT_MUTEX_HAS_WAITERS: somebody waits");
    Thread& top = *mutex.waiters.front().thread;
    co_await scheduler_.restore_priority(thread);
    co_await thread.cpu().store(lock, has_waiters);
    co_await raw_->release(thread, mutex.wait_lock);
    co_await scheduler_.wake_up(thread, top, Thread::State::rtlock_wait);
  }

  Hardware& hardware_;
  Scheduler& scheduler_;
  std::unique_ptr<SpinLock> raw_;
  std::deque<TaskStruct> tasks_;                    ///< by thread number
  std::unordered_map<const Word*, Mutex> mutexes_;  ///< looked up only, so its order is nothing
};

const Declaration<NoParameters> declaration(
    "rt_mutex", "spinlock_t of PREEMPT_RT: waiters by priority sleep, the first spins at first");
const Register<SpinLock, const LockContext&> rt_mutex{
    declaration, [](const NoParameters&, const LockContext& context) {
      return std::make_unique<RtSpinLock>(context);
    }};

}  // namespace
}  // namespace futexsim
