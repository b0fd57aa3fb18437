#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/hardware/coherence.hpp"
#include "futexsim/hardware/cpu.hpp"
#include "futexsim/hardware/memory_system.hpp"
#include "futexsim/hardware/stalls.hpp"
#include "futexsim/hardware/topology.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/quantity.hpp"
#include "futexsim/parts/registry.hpp"

namespace futexsim {

using ProtocolChoice = Choice<CoherenceProtocol, const Topology&>;

/// Links of the interconnect that share one latency.
struct LinkParameters {
  std::vector<std::vector<std::uint32_t>> between;  ///< pairs of nodes
  Quantity one_way;

  static const Declaration<LinkParameters>& declaration();
};

/// Structure in the terms of lscpu and sysfs; CPU lists as in `0-7,16-23`.
struct TopologyParameters {
  std::string source;
  std::vector<std::string> nodes;
  std::vector<std::string> l3_groups;
  std::vector<std::string> cores;
  std::uint32_t smt_sibling_distance = 0;
  std::vector<LinkParameters> links;

  static const Declaration<TopologyParameters>& declaration();
};

/// How fast lines travel within a node, and what holds on every machine.
struct MemoryParameters {
  std::uint32_t line_bytes = 64;
  Quantity same_core;
  Quantity same_l3;
  std::optional<Quantity> other_l3;
  Quantity hold_window;

  static const Declaration<MemoryParameters>& declaration();
};

/// Accesses that hit the own cache, for a thread alone on its core.
struct CostParameters {
  Quantity atomic;
  Quantity plain;

  static const Declaration<CostParameters>& declaration();
};

/// A step of the cores' turbo clock.
struct TurboParameters {
  std::uint32_t cores = 0;  ///< of a node, at most so many in use
  Quantity clock;

  static const Declaration<TurboParameters>& declaration();
};

/// A file of configs/machines.
struct MachineParameters {
  std::string name;
  std::string description;
  TopologyParameters topology;
  ProtocolChoice protocol;
  MemoryParameters memory;
  Quantity clock;
  std::vector<TurboParameters> turbo;  ///< fewest cores first
  std::vector<Quantity> smt_speed;
  CostParameters costs;
  std::map<std::string, Quantity> paths;
  std::optional<StallParameters> stalls;

  static const Declaration<MachineParameters>& declaration();
};

/// A machine as such, at rest: what its file says, ready for use. Immutable.
class Machine {
 public:
  /// InputError, at the place in the document, when the parts of the file contradict each other.
  explicit Machine(const Cursor& file);

  const std::string& name() const { return parameters_.name; }
  const MachineParameters& parameters() const { return parameters_; }
  const Topology& topology() const { return *topology_; }

  /// How long a path through the software takes here, by the name that the software gives it.
  /// InputError when the file doesn't say.
  Picoseconds path(const std::string& name) const;
  /// How much faster than `clock` a node's cores run while `cores` of them are in use, per mille.
  std::int64_t turbo_per_mille(std::uint32_t cores) const;
  /// Duration of a computation that takes `cycles` of a core's clock.
  Picoseconds cycles(std::uint32_t cycles) const;

 private:
  friend class Hardware;
  static Picoseconds in_picoseconds(const Quantity& nanoseconds) {
    return {nanoseconds.scaled(1000)};
  }

  Cursor file_;
  MachineParameters parameters_;
  std::shared_ptr<const Topology> topology_;
};

/// A machine at work in one simulation: its memory system, and the CPUs that run a thread.
class Hardware {
 public:
  /// Actors that a simulation needs for each CPU in use.
  static constexpr std::uint32_t actors_per_cpu = Cpu::actors;
  /// And beside: the stalls.
  static constexpr std::uint32_t other_actors = 1;

  /// `cpus`: those in use, in the order in which they join the simulation.
  Hardware(Simulation& simulation, const Machine& machine, std::span<const CpuId> cpus);

  /// From now on CPUs stall, if the machine's do and all are in use.
  void start_stalls(RandomStream random);

  Simulation& simulation() { return simulation_; }
  MemorySystem& memory() { return memory_; }
  const Topology& topology() const { return machine_.topology(); }
  std::deque<Cpu>& cpus() { return cpus_; }
  /// Invariant: one of those in use.
  Cpu& cpu(CpuId id) { return *by_id_[id.value]; }

 private:
  Simulation& simulation_;
  const Machine& machine_;
  std::unique_ptr<CoherenceProtocol> protocol_;
  MemorySystem memory_;
  std::deque<Core> cores_;
  std::deque<Cpu> cpus_;
  std::vector<Cpu*> by_id_;
  std::unique_ptr<Stalls> stalls_;
};

}  // namespace futexsim
