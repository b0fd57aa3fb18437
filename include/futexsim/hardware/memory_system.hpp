#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/hardware/cache_line.hpp"
#include "futexsim/hardware/coherence.hpp"

namespace futexsim {

/// What a machine's memory system does besides travelling: the same for every protocol.
struct MemoryTiming {
  std::uint32_t line_bytes = 64;
  Picoseconds same_core;    ///< a line from one SMT sibling to the other
  Picoseconds hold_window;  ///< how long the old holder keeps the use of a requested line
};

/// Counts of a run: `transfers` in number and `latency` in picoseconds, by distance.
struct TransferCounts {
  std::array<std::uint64_t, distances> transfers{};
  std::array<std::uint64_t, distances> latency{};
  std::uint64_t queueing = 0;  ///< picoseconds that requests waited for their turn at a line
};

/// The caches and the interconnect: lines, who holds them, and the transfers of each: one at a
/// time, or overlapping reads where the protocol has them.
class MemorySystem {
 public:
  MemorySystem(Simulation& simulation, const Topology& topology, CoherenceProtocol& protocol,
               const MemoryTiming& timing);

  const MemoryTiming& timing() const { return timing_; }

  /// A new, uncached line, homed as told. References stay valid.
  CacheLine& allocate(NodeId home);

  /// The line as if `core` had written it last.
  void place(CacheLine& line, CoreId core);

  /// Can the core use its copy right now?
  bool hits(const CacheLine& line, CoreId core, Access access) const;

  /// Queues the request; its requester fires when the line has arrived and then calls `complete`.
  void request(LineRequest& request);

  /// Hands the line over to the request whose turn it is, and starts the next transfer.
  void complete(LineRequest& request);

  /// Queues the read again as soon as the reader's copy is written or taken away.
  void watch(LineRequest& request);

  /// `core` wrote its copy: siblings that spin on it look again.
  /// Invariant: the line is the core's alone.
  void wrote(CacheLine& line, CoreId core);

  const TransferCounts& counts() const { return counts_; }

 private:
  bool holds_copy(const CacheLine& line, CoreId core) const;
  bool reads_overlap(const CacheLine& line) const;
  void start_next(CacheLine& line);
  LineRequest& take_next(CacheLine& line);
  void start(LineRequest& request);
  Picoseconds turn_of(const LineRequest& request);
  void requeue_spinners(CacheLine& line);
  void share(CacheLine& line, CoreId reader);
  void make_exclusive(CacheLine& line, CoreId owner);
  std::uint64_t* take_sharers();

  Simulation& simulation_;
  const Topology& topology_;
  CoherenceProtocol& protocol_;
  MemoryTiming timing_;
  std::size_t sharer_words_;
  std::deque<CacheLine> lines_;
  std::vector<std::uint32_t> allocated_;  ///< lines, by home
  std::deque<std::vector<std::uint64_t>> sharer_sets_;
  std::vector<std::uint64_t*> free_sharer_sets_;
  TransferCounts counts_;
};

}  // namespace futexsim
