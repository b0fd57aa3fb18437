#include "mean_transfers.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace futexsim {
namespace {

/// Threads below one L3, by core.
using CoresOfL3 = std::map<std::uint32_t, std::map<std::uint32_t, double>>;

CoresOfL3 threads_by_place(const Topology& topology, std::span<const CpuId> cpus) {
  CoresOfL3 out;
  for (const CpuId cpu : cpus) {
    const CoreId core = topology.core_of(cpu);
    out[topology.l3_of(core).value][core.value] += 1;
  }
  return out;
}

/// Ordered pairs of threads on different cores of two L3 groups, and a pair of cores that stands
/// for them.
struct Pairs {
  double count = 0;
  CoreId owner, requester;
};

Pairs pairs_between(const std::map<std::uint32_t, double>& owners,
                    const std::map<std::uint32_t, double>& requesters) {
  Pairs out;
  for (const auto& [owner, owning] : owners) {
    for (const auto& [requester, requesting] : requesters) {
      if (owner == requester) continue;
      out.count += owning * requesting;
      out.owner = {owner};
      out.requester = {requester};
    }
  }
  return out;
}

double threads_of(const std::map<std::uint32_t, double>& cores) {
  double sum = 0;
  for (const auto& [core, threads] : cores) sum += threads;
  return sum;
}

/// How often the line goes from a thread of the one L3 group to a given thread of the other, over
/// how many pairs there are of them.
double weight_of_pair(NextOwner next, double threads, double requesters, bool same_l3) {
  if (next == NextOwner::anybody || threads == requesters) return 1 / (threads * (threads - 1));
  // Of the transfers to a group of n, one in n comes from outside, from any of the others.
  return same_l3 ? 1 / (threads * requesters) : 1 / (threads * requesters * (threads - requesters));
}

/// Single transfers as a machine's protocol answers them.
class TransferProbe {
 public:
  explicit TransferProbe(const Machine& machine)
      : cores_(machine.topology().cores()),
        warm_(machine.parameters().protocol.make(machine.topology())),
        cold_(machine.parameters().protocol.make(machine.topology())) {}

  /// In nanoseconds; `known`: probability that a directory cache knows the line.
  MeanTransfers latencies(const Pairs& pair, NodeId home, double known) {
    std::vector<std::uint64_t> sharers((cores_ + 63) / 64);
    for (const CoreId core : {pair.owner, pair.requester}) {
      sharers[core.value / 64] |= std::uint64_t{1} << (core.value % 64);
    }
    CacheLine line;
    line.responder = pair.owner;
    line.home = home;
    LineRequest request;
    request.line = &line;
    request.core = pair.requester;
    const auto mean = [&](CacheLine::State state, Access access, double found) {
      line.state = state;
      line.sharers = state == CacheLine::State::shared ? sharers.data() : nullptr;
      request.access = access;
      line.number = 0;
      warm_->placed(line);
      const double hit = in_nanoseconds(warm_->transfer(request, {}).latency);
      line.number = ++never_seen_;
      const double miss = in_nanoseconds(cold_->transfer(request, {}).latency);
      return found * hit + (1 - found) * miss;
    };
    // The read before an upgrade has shown the line to the directory.
    return {.write = mean(CacheLine::State::exclusive, Access::write, known),
            .read = mean(CacheLine::State::exclusive, Access::read, known),
            .upgrade = mean(CacheLine::State::shared, Access::write, 1)};
  }

 private:
  std::uint32_t cores_;
  std::unique_ptr<CoherenceProtocol> warm_;  ///< has seen one line only, which it knows
  std::unique_ptr<CoherenceProtocol> cold_;  ///< is shown each line once
  std::uint32_t never_seen_ = 0;
};

/// Lines that come up at random are found in a directory cache as often as it has room for them,
/// whatever it replaces.
double known_to_directory(const Machine& machine, double lines_of_home) {
  const nlohmann::json protocol = machine.parameters().protocol.resolved();
  const auto capacity = protocol.find("directory_cache_lines");
  if (capacity == protocol.end() || !capacity->is_object()) return 1;
  return std::min(1.0, capacity->at("value").get<double>() / lines_of_home);
}

}  // namespace

MeanTransfers mean_transfers(const Machine& machine, std::span<const CpuId> cpus,
                             const LineHomes& homes, NextOwner next) {
  const CoresOfL3 places = threads_by_place(machine.topology(), cpus);
  const auto threads = static_cast<double>(cpus.size());
  MeanTransfers mean;
  TransferProbe probe(machine);
  for (const auto& [owner_l3, owners] : places) {
    for (const auto& [requester_l3, requesters] : places) {
      const Pairs pairs = pairs_between(owners, requesters);
      if (pairs.count == 0) continue;
      for (std::uint32_t home = 0; home < homes.share.size(); ++home) {
        if (homes.share[home] == 0) continue;
        const double known = known_to_directory(machine, homes.lines * homes.share[home]);
        const MeanTransfers one = probe.latencies(pairs, {home}, known);
        const double weight =
            homes.share[home] * pairs.count *
            weight_of_pair(next, threads, threads_of(requesters), owner_l3 == requester_l3);
        mean.write += weight * one.write;
        mean.read += weight * one.read;
        mean.upgrade += weight * one.upgrade;
      }
    }
  }
  return mean;
}

}  // namespace futexsim
