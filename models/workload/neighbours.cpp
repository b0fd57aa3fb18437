#include "futexsim/workload/neighbours.hpp"

#include <set>
#include <stdexcept>

#include "futexsim/hardware/cpu_list.hpp"

namespace futexsim {
namespace {

/// How long a thread computes in user space before it looks whether it has to leave the CPU, as the
/// interrupt that would tell it at once isn't modelled. A guess: short beside the waits that
/// results are about, and long enough to cost few events.
constexpr Picoseconds preemption_latency = nanoseconds(5000);

std::vector<CpuId> cpus_of(const NeighbourGroup& group, const Cursor& at,
                           const Topology& topology) {
  if (!group.cpus) return {topology.online().begin(), topology.online().end()};
  const auto refuse = [&] {
    at.at("cpus").refuse("a list of CPUs that the machine has, as in 0-7,16: " +
                         format_cpu_list({topology.online().begin(), topology.online().end()}));
  };
  std::vector<CpuId> cpus;
  try {
    cpus = parse_cpu_list(*group.cpus);
  } catch (const std::invalid_argument&) {
    refuse();
  }
  for (const CpuId cpu : cpus) {
    if (!topology.is_online(cpu)) refuse();
  }
  if (cpus.empty()) refuse();
  return cpus;
}

}  // namespace

const Declaration<NeighbourGroup>& NeighbourGroup::declaration() {
  using P = NeighbourGroup;
  static const auto declaration =
      Declaration<P>("group", "processes that are alike")
          .required("name", &P::name,
                    {.help = "as results name it", .pattern = "[A-Za-z0-9][A-Za-z0-9_-]*"})
          .optional("processes", &P::processes, {.unit = "processes", .min = 1, .max = 4096})
          .optional("threads", &P::threads,
                    {.unit = "threads", .help = "of each process", .min = 1, .max = 4096})
          .optional("futexes_per_thread", &P::futexes_per_thread,
                    {.unit = "futexes", .min = 1, .max = 1 << 20})
          .optional("common_futexes", &P::common_futexes,
                    {.help = "a process's threads wait on the same futexes, each in its own time"})
          .optional("think_ns", &P::think_ns,
                    {.unit = "ns",
                     .help = "in user space before each operation: uniform from 0 to twice this, "
                             "and it keeps the CPU",
                     .max = 100'000'000})
          .optional("priority", &P::priority,
                    {.help = "0: SCHED_OTHER; 1 to 99: SCHED_FIFO, which leaves nothing of its "
                             "CPUs to threads of a lower one",
                     .max = 99})
          .optional("cpus", &P::cpus,
                    {.help = "where the group's threads run, one after another, modulo their "
                             "number: 0-7,16; all online CPUs if absent. A process's memory is "
                             "on the node of its first thread"})
          .optional("idle", &P::idle,
                    {.help = "its processes exist, and have their private tables, but do nothing"});
  return declaration;
}

const Declaration<NeighboursParameters>& NeighboursParameters::declaration() {
  using P = NeighboursParameters;
  static const auto declaration =
      Declaration<P>("neighbours",
                     "unrelated processes that wait on futexes of their own with a value that "
                     "differs; results are about the first group")
          .required("groups", &P::groups, {.help = "the first one isn't idle", .min_items = 1})
          .check([](const P& workload, const Cursor& at) {
            std::set<std::string> names;
            std::uint64_t threads = 0;
            for (std::size_t i = 0; i < workload.groups.size(); ++i) {
              const NeighbourGroup& group = workload.groups[i];
              if (!names.insert(group.name).second) {
                at.at("groups").at(i).at("name").refuse("a name that no other group has");
              }
              threads += std::uint64_t{group.processes} * group.threads;
            }
            if (workload.groups.front().idle) {
              at.at("groups").at(0).at("idle").refuse("false, as results are about this group");
            }
            if (threads > 65536) {
              throw at.at("groups").error(std::to_string(threads) + " threads",
                                          "at most 65536 in all groups");
            }
          });
  return declaration;
}

Placement NeighboursParameters::place(const Cursor& at, const Topology& topology) const {
  Placement out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const NeighbourGroup& group = groups[i];
    const std::vector<CpuId> cpus = cpus_of(group, at.at("groups").at(i), topology);
    out.groups.push_back(
        {group.name, static_cast<std::uint32_t>(out.main_nodes.size()), group.processes});
    for (std::uint32_t process = 0; process < group.processes; ++process) {
      const std::uint32_t before = process * group.threads;
      const std::uint32_t number =
          out.add_process(topology.node_of(cpus[before % cpus.size()]), group.threads);
      if (group.idle) continue;
      for (std::uint32_t thread = before; thread < before + group.threads; ++thread) {
        out.threads.push_back({number, cpus[thread % cpus.size()], group.priority});
      }
    }
    if (i == 0) out.measured_threads = static_cast<std::uint32_t>(out.threads.size());
  }
  return out;
}

Neighbours::Neighbours(const NeighboursParameters& parameters, const WorkloadContext& context)
    : RunningWorkload(context), kernel_(context.kernel) {
  for (const NeighbourGroup& group : parameters.groups) {
    if (!group.idle) add_programs(group, context.random);
  }
  for (const Thread& thread : threads()) {
    for (std::uint32_t futex = 0; futex < programs_[thread.number()].futexes; ++futex) {
      place_line(context, thread, key(thread, futex));
    }
  }
  for (Thread& thread : threads()) start_amid(context, thread, worker(thread));
}

void Neighbours::add_programs(const NeighbourGroup& group, RandomStream& random) {
  for (std::uint32_t process = 0; process < group.processes; ++process) {
    const Mm& mm = threads()[programs_.size()].mm();
    const FutexArrays arrays(mm, group.threads, group.futexes_per_thread, random);
    for (std::uint32_t thread = 0; thread < group.threads; ++thread) {
      programs_.push_back({arrays.address(group.common_futexes ? 0 : thread, 0),
                           group.futexes_per_thread, nanoseconds(group.think_ns),
                           RandomStream(random.next(), "neighbour", programs_.size())});
    }
  }
}

Task<> Neighbours::worker(Thread& thread) {
  Program& program = programs_[thread.number()];
  const auto longest_think = 2 * static_cast<std::uint64_t>(program.think.count);
  auto futex = static_cast<std::uint32_t>(program.random.below(program.futexes));
  for (;; futex = futex + 1 == program.futexes ? 0 : futex + 1) {
    const auto think = static_cast<std::int64_t>(program.random.below(longest_think + 1));
    co_await compute_in_user_space(thread, {think});
    co_await kernel_.futex_wait(thread, key(thread, futex));
    count_operation(thread);
  }
}

Task<> Neighbours::compute_in_user_space(Thread& thread, Picoseconds time) {
  for (; time > preemption_latency; time = time - preemption_latency) {
    co_await thread.cpu().compute(preemption_latency);
    co_await thread.cpu().elapse();
    Scheduler& scheduler = kernel_.scheduler();
    if (scheduler.need_resched(thread)) co_await scheduler.schedule(thread);
  }
  co_await thread.cpu().compute(time);
}

namespace {

const Register<Workload> neighbours{NeighboursParameters::declaration(),
                                    WorkloadOf<Neighbours, NeighboursParameters>::make};

}  // namespace
}  // namespace futexsim
