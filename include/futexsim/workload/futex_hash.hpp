#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futexsim/workload/futex_arrays.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {

/// `perf bench futex hash`: every thread calls FUTEX_WAIT on its own futexes, in array order and
/// round and round, always with a value that differs (tools/perf/bench/futex-hash.c).
struct FutexHashParameters : ThreadParameters {
  std::uint32_t futexes_per_thread = 1024;
  bool shared = false;
  bool futex2_numa = false;

  static const Declaration<FutexHashParameters>& declaration();
};

/// The benchmark in one simulation.
class FutexHash final : public RunningWorkload {
 public:
  /// Each thread gets a random place in its walk, and each bucket's line lies where the thread
  /// that passed it last has left it: as after many rounds.
  FutexHash(const FutexHashParameters& parameters, const WorkloadContext& context);

  FutexKey key(const Thread& thread, std::uint32_t futex) const {
    const std::uint64_t address = this->address(thread.number(), futex);
    FutexKey key = shared_ ? thread.mm().shared_key(address) : thread.mm().private_key(address);
    if (!nodes_.empty()) key.node = nodes_[thread.number()].value;
    return key;
  }
  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t thread) const override {
    return {address(thread, 0), address(thread, futexes_ - 1)};
  }

 private:
  Task<> worker(Thread& thread, std::uint32_t first);
  std::uint64_t address(std::uint32_t thread, std::uint32_t futex) const {
    return arrays_[thread / threads_each_].address(thread % threads_each_, futex);
  }

  Kernel& kernel_;
  std::uint32_t futexes_;
  std::uint32_t threads_each_;  ///< of each process
  bool shared_;
  std::vector<NodeId> nodes_;        ///< by thread, that its futexes name; none without FUTEX2_NUMA
  std::vector<FutexArrays> arrays_;  ///< by process, each in its heap, by its main thread
};

}  // namespace futexsim
