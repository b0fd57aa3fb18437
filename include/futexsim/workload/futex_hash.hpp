#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futexsim/kernel/kernel.hpp"
#include "futexsim/kernel/mm.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/workload/futex_arrays.hpp"

namespace futexsim {

/// `perf bench futex hash`: every thread calls FUTEX_WAIT on its own futexes, in array order and
/// round and round, always with a value that differs (tools/perf/bench/futex-hash.c).
struct FutexHashParameters {
  std::uint32_t threads = 0;
  std::uint32_t futexes_per_thread = 1024;
  std::string placement = "all";

  static const Declaration<FutexHashParameters>& declaration();
};

/// Where threads run: thread i on the i-th online CPU (`all`) or on the i-th CPU of a node
/// (`nodeK`), modulo their number.
struct Placement {
  std::vector<CpuId> cpus;
  NodeId main_node;  ///< of the main thread, and thus of all arrays and a private table

  /// InputError, at `at`, for a name that isn't a placement or a node that the machine lacks.
  static Placement read(const Cursor& at, const std::string& name, const Topology& topology);
};

/// The benchmark in one simulation: its threads' programs, and their counters.
class FutexHash {
 public:
  /// Each thread gets a random place in its walk, and each bucket's line lies where the thread
  /// that passed it last has left it: as after many rounds.
  FutexHash(const FutexHashParameters& parameters, Kernel& kernel, Hardware& hardware,
            RandomStream& random);

  std::uint64_t operations() const { return operations_; }
  const std::vector<std::uint64_t>& operations_by_thread() const { return by_thread_; }
  /// First and last futex of each thread.
  std::uint64_t first_address(std::uint32_t thread) const { return arrays_.address(thread, 0); }
  std::uint64_t last_address(std::uint32_t thread) const {
    return arrays_.address(thread, futexes_ - 1);
  }

 private:
  Task<> worker(Cpu& cpu, std::uint32_t thread, std::uint32_t first);
  FutexKey key(std::uint32_t thread, std::uint32_t futex) const {
    return mm_.private_key(arrays_.address(thread, futex));
  }
  void place_lines(const std::vector<std::uint32_t>& first, Hardware& hardware);

  Kernel& kernel_;
  Mm mm_;
  std::uint32_t futexes_;
  std::vector<std::uint64_t> by_thread_;
  FutexArrays arrays_;
  std::uint64_t operations_ = 0;
};

}  // namespace futexsim
