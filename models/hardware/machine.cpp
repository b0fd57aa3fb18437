#include "futexsim/hardware/machine.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "futexsim/hardware/cpu_list.hpp"

namespace futexsim {
namespace {

std::vector<std::vector<CpuId>> read_lists(const std::vector<std::string>& texts) {
  std::vector<std::vector<CpuId>> lists;
  for (const std::string& text : texts) lists.push_back(parse_cpu_list(text));
  return lists;
}

/// CPUs whose numbers differ by multiples of `distance` share a core.
std::vector<std::vector<CpuId>> siblings_apart(const std::vector<std::vector<CpuId>>& nodes,
                                               std::uint32_t distance) {
  std::map<std::uint32_t, std::vector<CpuId>> cores;
  for (const auto& node : nodes) {
    for (const CpuId cpu : node) {
      cores[distance == 0 ? cpu.value : cpu.value % distance].push_back(cpu);
    }
  }
  std::vector<std::vector<CpuId>> out;
  for (auto& [first, cpus] : cores) out.push_back(std::move(cpus));
  return out;
}

TopologyDescription describe(const TopologyParameters& topology, const MemoryParameters& memory) {
  TopologyDescription description;
  description.nodes = read_lists(topology.nodes);
  description.l3_groups =
      topology.l3_groups.empty() ? description.nodes : read_lists(topology.l3_groups);
  description.cores = topology.cores.empty()
                          ? siblings_apart(description.nodes, topology.smt_sibling_distance)
                          : read_lists(topology.cores);
  description.same_l3 = {memory.same_l3.scaled(1000)};
  description.other_l3 = {memory.other_l3.value_or(memory.same_l3).scaled(1000)};
  for (const LinkParameters& link : topology.links) {
    for (const auto& pair : link.between) {
      if (pair.size() != 2) throw std::invalid_argument("a link between other than two nodes");
      description.links.push_back({{pair[0]}, {pair[1]}, {link.one_way.scaled(1000)}});
    }
  }
  return description;
}

}  // namespace

const Declaration<LinkParameters>& LinkParameters::declaration() {
  static const auto declaration =
      Declaration<LinkParameters>("link", "links of the interconnect that share one latency")
          .required("between", &LinkParameters::between,
                    {.help = "pairs of nodes, as [[0, 1], [0, 2]]", .max = 4095, .min_items = 1})
          .required("one_way", &LinkParameters::one_way,
                    {.unit = "ns", .help = "what a message pays to cross", .min = 0, .max = 1e6});
  return declaration;
}

const Declaration<TopologyParameters>& TopologyParameters::declaration() {
  using P = TopologyParameters;
  static const auto declaration =
      Declaration<P>("topology", "CPUs, cores, L3 groups and nodes, as lscpu and sysfs name them")
          .required("source", &P::source, {.help = "where the structure was read"})
          .required("nodes", &P::nodes,
                    {.help = "each NUMA node's CPU list (lscpu: NUMA node0 CPU(s))",
                     .min_items = 1,
                     .max_items = 4096})
          .optional("l3_groups", &P::l3_groups,
                    {.help = "CPU lists below each L3 (sysfs: cache/index3/shared_cpu_list); "
                             "one for each node if absent"})
          .optional("cores", &P::cores,
                    {.help = "CPU list of each core (sysfs: topology/thread_siblings_list); by "
                             "smt_sibling_distance if absent"})
          .optional("smt_sibling_distance", &P::smt_sibling_distance,
                    {.help = "CPU i and CPU i + distance share a core; 0: no SMT", .max = 65535})
          .optional("links", &P::links, {.help = "the interconnect between nodes"});
  return declaration;
}

const Declaration<MemoryParameters>& MemoryParameters::declaration() {
  using P = MemoryParameters;
  static const auto declaration =
      Declaration<P>("memory", "how lines travel within a node")
          .optional("line_bytes", &P::line_bytes,
                    {.unit = "bytes", .help = "of a cache line", .min = 16, .max = 1024})
          .required("same_core", &P::same_core,
                    {.unit = "ns", .help = "line to the SMT sibling", .min = 0, .max = 1e6})
          .required("same_l3", &P::same_l3,
                    {.unit = "ns", .help = "line between cores below one L3", .min = 0, .max = 1e6})
          .optional("other_l3", &P::other_l3,
                    {.unit = "ns",
                     .help = "line between L3 groups of a node, homed there; same_l3 if absent",
                     .min = 0,
                     .max = 1e6})
          .required("hold_window", &P::hold_window,
                    {.unit = "ns",
                     .help = "how long the old holder keeps the use of a requested line",
                     .min = 0,
                     .max = 1e6})
          .check([](const P& memory, const Cursor& at) {
            if (memory.other_l3 && memory.other_l3->value < memory.same_l3.value) {
              at.at("other_l3").at("value").refuse("at least same_l3");
            }
          });
  return declaration;
}

const Declaration<CostParameters>& CostParameters::declaration() {
  using P = CostParameters;
  static const auto declaration =
      Declaration<P>("costs", "accesses that hit the own cache, thread alone on its core")
          .required("atomic", &P::atomic,
                    {.unit = "ns", .help = "atomic that hits the own cache", .min = 0, .max = 1e6})
          .required("plain", &P::plain,
                    {.unit = "ns", .help = "load or store that hits", .min = 0, .max = 1e6});
  return declaration;
}

const Declaration<TurboParameters>& TurboParameters::declaration() {
  using P = TurboParameters;
  static const auto declaration =
      Declaration<P>("turbo", "the cores' clock while few of them are in use")
          .required("cores", &P::cores,
                    {.unit = "cores", .help = "of a node, at most so many in use", .min = 1})
          .required("clock", &P::clock, {.unit = "GHz", .help = "of those", .min = 0.1, .max = 20});
  return declaration;
}

const Declaration<MachineParameters>& MachineParameters::declaration() {
  using P = MachineParameters;
  static const auto declaration =
      Declaration<P>("machine", "a NUMA machine as the simulator sees it")
          .required("name", &P::name, {.help = "as configs and tables name it"})
          .required("description", &P::description, {.help = "processor, sockets, era"})
          .required("topology", &P::topology)
          .required("protocol", &P::protocol, {.help = "cache coherence"})
          .required("memory", &P::memory)
          .required(
              "clock", &P::clock,
              {.unit = "GHz", .help = "of the cores when all are busy", .min = 0.1, .max = 20})
          .optional("turbo", &P::turbo,
                    {.help = "steps of the clock while fewer cores of a node are in use, fewest "
                             "first"})
          .required("smt_speed", &P::smt_speed,
                    {.unit = "1",
                     .help = "speed of a thread while 1, 2, ... siblings compute; alone it is 1",
                     .min = 0.01,
                     .max = 1,
                     .max_items = 7})
          .required("costs", &P::costs)
          .required("paths", &P::paths,
                    {.unit = "ns",
                     .help = "time in paths through the software whose memory stays in the own "
                             "caches, thread alone on its core, by the software's name for them",
                     .min = 0,
                     .max = 1e6})
          .optional("stalls", &P::stalls, {.help = "absent: there are none"});
  return declaration;
}

Machine::Machine(const Cursor& file)
    : file_(file), parameters_(MachineParameters::declaration().read(file)) {
  const Cursor topology = file.at("topology");
  try {
    topology_ = std::make_shared<Topology>(describe(parameters_.topology, parameters_.memory));
  } catch (const std::invalid_argument& contradiction) {
    throw topology.error(contradiction.what(),
                         "a topology in which each CPU has one node, one L3 "
                         "group and one core, and links reach every node");
  }
  if (parameters_.smt_speed.size() + 1 < topology_->threads_per_core()) {
    file.at("smt_speed")
        .refuse("a speed for each number of computing siblings, up to " +
                std::to_string(topology_->threads_per_core() - 1));
  }
  parameters_.protocol.make(*topology_);
}

Picoseconds Machine::path(const std::string& name) const {
  file_.at("paths").at(name);
  return in_picoseconds(parameters_.paths.at(name));
}

std::int64_t Machine::turbo_per_mille(std::uint32_t cores) const {
  for (const TurboParameters& step : parameters_.turbo) {
    if (cores <= step.cores) return step.clock.scaled(1'000'000) / parameters_.clock.scaled(1000);
  }
  return 1000;
}

Picoseconds Machine::cycles(std::uint32_t cycles) const {
  return {static_cast<std::int64_t>(cycles) * 1'000'000 / parameters_.clock.scaled(1000)};
}

namespace {

/// Cores in use, by node.
std::vector<std::uint32_t> busy_cores(const Topology& topology, std::span<const CpuId> cpus) {
  std::vector<std::uint32_t> out(topology.nodes());
  std::vector<bool> seen(topology.cores());
  for (const CpuId cpu : cpus) {
    const CoreId core = topology.core_of(cpu);
    if (!seen[core.value]) ++out[topology.node_of(core).value];
    seen[core.value] = true;
  }
  return out;
}

}  // namespace

Hardware::Hardware(Simulation& simulation, const Machine& machine, std::span<const CpuId> cpus)
    : simulation_(simulation),
      machine_(machine),
      protocol_(machine.parameters_.protocol.make(machine.topology())),
      memory_(simulation, machine.topology(), *protocol_,
              {.line_bytes = machine.parameters_.memory.line_bytes,
               .same_core = Machine::in_picoseconds(machine.parameters_.memory.same_core),
               .hold_window = Machine::in_picoseconds(machine.parameters_.memory.hold_window)}) {
  const std::vector<std::uint32_t> busy = busy_cores(topology(), cpus);
  for (std::uint32_t core = 0; core < topology().cores(); ++core) {
    const std::int64_t turbo =
        machine.turbo_per_mille(busy[topology().node_of(CoreId{core}).value]);
    std::vector<std::int64_t> speeds{turbo};
    for (const Quantity& speed : machine.parameters_.smt_speed) {
      speeds.push_back(speed.scaled(1000) * turbo / 1000);
    }
    cores_.emplace_back(std::move(speeds));
  }
  const Cpu::Costs costs{Machine::in_picoseconds(machine.parameters_.costs.atomic),
                         Machine::in_picoseconds(machine.parameters_.costs.plain)};
  for (const CpuId cpu : cpus) {
    const CoreId core = topology().core_of(cpu);
    if (by_id_.size() <= cpu.value) by_id_.resize(cpu.value + 1);
    by_id_[cpu.value] =
        &cpus_.emplace_back(simulation, memory_, cores_[core.value], core, cpu, costs);
  }
}

void Hardware::start_stalls(RandomStream random) {
  const std::optional<StallParameters>& stalls = machine_.parameters_.stalls;
  if (!stalls || cpus_.size() < topology().cpus()) return;
  stalls_ = std::make_unique<Stalls>(simulation_, *stalls, cpus_, std::move(random));
}

}  // namespace futexsim
