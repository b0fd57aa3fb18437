#pragma once

#include <cstdint>
#include <deque>

#include "futexsim/kernel/thread.hpp"
#include "lab.hpp"

namespace futexsim {

/// A process with one thread on each of a lab's CPUs.
class Threads {
 public:
  Threads(Lab& lab, Mm& mm) {
    std::uint32_t number = 0;
    for (Cpu& cpu : lab.hardware().cpus()) threads_.emplace_back(number++, mm, cpu);
  }

  Thread& operator[](std::uint32_t number) { return threads_[number]; }

 private:
  std::deque<Thread> threads_;
};

/// The same where no kernel makes the process.
class BareThreads {
 public:
  explicit BareThreads(Lab& lab) : threads_(lab, mm_) {}

  Thread& operator[](std::uint32_t number) { return threads_[number]; }

 private:
  RandomStream random_{1, "mm"};
  Mm mm_{0, {0}, random_};
  Threads threads_;
};

}  // namespace futexsim
