#pragma once

#include <string>

#include "futexsim/kernel/futex.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {

/// Options that the benchmarks of waking have in common.
struct BlockedThreadsParameters : ThreadParameters {
  bool shared = false;

  /// A workload's declaration, begun with these.
  template <class Parameters>
  static Declaration<Parameters> begin(const std::string& name, const std::string& help) {
    using Flag = bool Parameters::*;
    auto declaration = ThreadParameters::begin<Parameters>(name, help, false);
    std::move(declaration)
        .optional("shared", static_cast<Flag>(&Parameters::shared),
                  {.help = "process-shared futexes (perf's -S)"});
    return declaration;
  }
};

/// What `perf bench futex` wake, wake-parallel and requeue have in common: threads that block on
/// one futex, and a main thread that lets them fall asleep for 100 ms and then goes on.
class BlockedThreads : public RunningWorkload {
 public:
  static constexpr bool uses_timers = true;

  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t) const override {
    return {address_, address_};
  }

 protected:
  BlockedThreads(const WorkloadContext& context, bool shared);

  /// `main`: what the main thread does once all others sleep.
  void start(Task<> main, RandomStream& random);

  /// A static variable of perf, the `number`th word on `line`; on the first, threads block.
  Futex make_futex(std::uint32_t number, CacheLine& line) const;
  std::uint64_t address(std::uint32_t number) const { return address_ + std::uint64_t{4} * number; }
  CacheLine& line() { return line_; }

  Kernel& kernel() { return kernel_; }
  Thread& main_thread() { return main_; }
  Futex& futex() { return futex_; }
  std::uint32_t blocked() { return static_cast<std::uint32_t>(threads().size()); }

 private:
  Task<> block(Thread& thread);
  Task<> after_a_nap(Task<> main);

  Kernel& kernel_;
  bool shared_;
  Thread main_;  ///< on the CPU of the first thread, which sleeps while it runs
  std::uint64_t address_;
  CacheLine& line_;  ///< of the first
  Futex futex_;
};

/// Milliseconds of a clock that a thread reads twice.
inline double in_milliseconds(Picoseconds duration) {
  return in_seconds(duration) * 1e3;
}

}  // namespace futexsim
