#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/hardware/topology.hpp"
#include "futexsim/parts/declaration.hpp"

namespace futexsim {

/// The threads that a workload asks for, and where they run.
struct ThreadParameters {
  std::uint32_t threads = 0;  ///< of each process
  std::uint32_t processes = 1;
  std::string placement = "all";

  /// A workload's declaration, begun with these; without `processes` if there can be only one.
  template <class Parameters>
  static Declaration<Parameters> begin(const std::string& name, const std::string& help,
                                       bool several_processes = true);
};

/// Where threads run.
///   all                   thread i of each process on the i-th online CPU
///   nodeK                 thread i of each process on the i-th CPU of node K
///   one process per node  thread i of process p on the i-th CPU of the p-th node
/// always modulo their number: perf binds threads in this way.
struct Placement {
  struct ThreadPlace {
    std::uint32_t process;
    CpuId cpu;
    std::uint32_t priority = 0;  ///< SCHED_FIFO's, or 0: SCHED_OTHER
  };
  /// Processes whose waits a result tells from those of others.
  struct ProcessGroup {
    std::string name;
    std::uint32_t first_process;
    std::uint32_t processes;
  };

  std::vector<ThreadPlace> threads;  ///< process by process
  std::vector<ThreadPlace> unbound;  ///< of threads that a workload starts beside them
  std::vector<NodeId> main_nodes;    ///< by process: of the main thread, and so of all arrays
  std::vector<std::uint32_t> threads_of_process;  ///< all beside the main one, running or not
  std::vector<ProcessGroup> groups;               ///< none where all processes are alike
  std::optional<std::uint32_t> measured_threads;  ///< the first so many, if not all

  /// InputError, at `at` (the workload), for a name that isn't a placement, or a node or processes
  /// that the machine has no place for.
  static Placement of(const ThreadParameters& wanted, const Cursor& at, const Topology& topology);

  /// One more, none of whose threads has a place yet. Returns its number.
  std::uint32_t add_process(NodeId main_node, std::uint32_t its_threads);

  /// Threads whose operations count.
  std::uint32_t measured() const {
    return measured_threads.value_or(static_cast<std::uint32_t>(threads.size()));
  }
  /// Each CPU that has a thread, once, in the order of the first thread on it.
  std::vector<CpuId> cpus() const;
};

template <class Parameters>
Declaration<Parameters> ThreadParameters::begin(const std::string& name, const std::string& help,
                                                bool several_processes) {
  using Number = std::uint32_t Parameters::*;
  using Name = std::string Parameters::*;
  Declaration<Parameters> declaration(name, help);
  std::move(declaration)
      .required("threads", static_cast<Number>(&Parameters::threads),
                {.unit = "threads",
                 .help = "of each process; more than CPUs share them by time slices",
                 .min = 1,
                 .max = 65536});
  if (several_processes) {
    std::move(declaration)
        .optional("processes", static_cast<Number>(&Parameters::processes),
                  {.unit = "processes", .min = 1, .max = 4096});
  }
  std::move(declaration)
      .optional("placement", static_cast<Name>(&Parameters::placement),
                {.help = "all: thread i of a process on CPU i; nodeK: on the i-th CPU of node K; "
                         "one process per node: on the i-th CPU of the process's own node; always "
                         "modulo their number. The main thread is on the first of them",
                 .pattern = "all|node[0-9]+|one process per node"});
  return declaration;
}

}  // namespace futexsim
