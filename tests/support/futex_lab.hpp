#pragma once

#include <deque>
#include <string>

#include "futex_hash_lab.hpp"
#include "futexsim/kernel/futex.hpp"

namespace futexsim {

/// A kernel at work under threads that sleep: any number of them on a CPU, and futexes that they
/// share.
class FutexLab : public KernelLab {
 public:
  using KernelLab::KernelLab;

  /// The `number`th word of one page, on a line of its own that CPU 0 wrote last.
  Futex& futex(std::uint32_t number) {
    while (futexes_.size() <= number) {
      const auto offset = static_cast<std::uint64_t>(4 * futexes_.size());
      futexes_.push_back({.key = thread(0).mm().private_key(0x5555'5556'0000 + offset),
                          .word = {.line = word_owned_by(0).line}});
      // As after much use: the bucket's line is where CPU 0 left it.
      memory().place(*bucket(futexes_.back()).lock.line, cpu(0).core_id());
    }
    return futexes_[number];
  }
  HashBucket& bucket(const Futex& futex) { return kernel().bucket_of(thread(0).mm(), futex.key); }
  /// Another futex than `other`, in the same bucket or not.
  Futex& futex_beside(const Futex& other, bool same_bucket) {
    for (std::uint32_t number = 0;; ++number) {
      Futex& found = futex(number);
      if (&found != &other && (&bucket(found) == &bucket(other)) == same_bucket) return found;
    }
  }

  /// One more thread on that CPU.
  Thread& new_thread(std::uint32_t cpu_number, std::uint32_t priority = 0) {
    const auto number = static_cast<std::uint32_t>(100 + more_.size());
    return more_.emplace_back(number, thread(0).mm(), cpu(cpu_number), priority);
  }
  void begin(Thread& thread, Task<> program, Picoseconds at = {}) {
    kernel().scheduler().start(thread, std::move(program), at);
  }

 private:
  std::deque<Futex> futexes_;
  std::deque<Thread> more_;
};

/// Waits once, and notes that and when it went on.
struct Waiting {
  bool returned = false;
  bool slept = false;
  Picoseconds at;
};
inline Task<> wait_once(FutexLab& lab, Thread& thread, Futex& futex, Waiting& waiting) {
  waiting.slept = co_await futex_wait(lab.kernel(), thread, futex, 0);
  waiting.at = thread.cpu().now();
  waiting.returned = true;
}

inline Task<> wake_once(FutexLab& lab, Thread& thread, Futex& futex, std::uint32_t nr_wake,
                        std::uint32_t& woken) {
  woken = co_await futex_wake(lab.kernel(), thread, futex, nr_wake);
}

}  // namespace futexsim
