#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/workload/futex_arrays.hpp"
#include "futexsim/workload/workload.hpp"

namespace futexsim {

/// Processes that are alike.
struct NeighbourGroup {
  std::string name;
  std::uint32_t processes = 1;
  std::uint32_t threads = 1;  ///< of each process
  std::uint32_t futexes_per_thread = 1024;
  bool common_futexes = false;
  std::uint32_t think_ns = 0;
  std::uint32_t priority = 0;
  std::optional<std::string> cpus;
  bool idle = false;

  static const Declaration<NeighbourGroup>& declaration();
};

/// Unrelated processes on one machine. Results are about the first group; the others are there.
struct NeighboursParameters {
  std::vector<NeighbourGroup> groups;

  static const Declaration<NeighboursParameters>& declaration();

  /// The group's threads, process by process, on its CPUs in turn. InputError at `at`, the
  /// workload, for a CPU that the machine hasn't got.
  Placement place(const Cursor& at, const Topology& topology) const;
};

/// They in one simulation. Each thread thinks, then calls FUTEX_WAIT on its next futex with a value
/// that differs. An idle process has its private table, and no thread that runs.
class Neighbours final : public RunningWorkload {
 public:
  Neighbours(const NeighboursParameters& parameters, const WorkloadContext& context);

  static Placement place(const NeighboursParameters& wanted, const Cursor& at,
                         const Topology& topology) {
    return wanted.place(at, topology);
  }

  FutexKey key(const Thread& thread, std::uint32_t futex) const {
    return thread.mm().private_key(programs_[thread.number()].first + futex_bytes * futex);
  }
  std::pair<std::uint64_t, std::uint64_t> futexes(std::uint32_t thread) const override {
    const Program& program = programs_[thread];
    return {program.first, program.first + futex_bytes * (program.futexes - 1)};
  }

 private:
  static constexpr std::uint64_t futex_bytes = 4;

  struct Program {
    std::uint64_t first;  ///< address of the thread's array
    std::uint32_t futexes;
    Picoseconds think;  ///< on average
    RandomStream random;
  };

  void add_programs(const NeighbourGroup& group, RandomStream& random);
  Task<> worker(Thread& thread);
  Task<> compute_in_user_space(Thread& thread, Picoseconds time);

  Kernel& kernel_;
  std::vector<Program> programs_;  ///< by thread
};

}  // namespace futexsim
