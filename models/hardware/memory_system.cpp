#include "futexsim/hardware/memory_system.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace futexsim {
namespace {

constexpr std::uint32_t word_bits = 64;

bool contains(const std::uint64_t* set, CoreId core) {
  return (set[core.value / word_bits] >> (core.value % word_bits) & 1) != 0;
}

void insert(std::uint64_t* set, CoreId core) {
  set[core.value / word_bits] |= std::uint64_t{1} << (core.value % word_bits);
}

bool in_flight(const CacheLine& line) {
  return line.write_in_flight != nullptr || line.reads_in_flight > 0;
}

}  // namespace

MemorySystem::MemorySystem(Simulation& simulation, const Topology& topology,
                           CoherenceProtocol& protocol, const MemoryTiming& timing)
    : simulation_(simulation),
      topology_(topology),
      protocol_(protocol),
      timing_(timing),
      sharer_words_((topology.cores() + word_bits - 1) / word_bits),
      allocated_(topology.nodes()) {}

CacheLine& MemorySystem::allocate(NodeId home) {
  CacheLine& line = lines_.emplace_back();
  line.home = home;
  line.number = allocated_[home.value]++;
  return line;
}

void MemorySystem::place(CacheLine& line, CoreId core) {
  assert(!in_flight(line));
  make_exclusive(line, core);
  protocol_.placed(line);
}

bool MemorySystem::holds_copy(const CacheLine& line, CoreId core) const {
  switch (line.state) {
    case CacheLine::State::uncached:
      return false;
    case CacheLine::State::exclusive:
      return line.responder == core;
    case CacheLine::State::shared:
      return contains(line.sharers, core);
  }
  return false;
}

bool MemorySystem::hits(const CacheLine& line, CoreId core, Access access) const {
  if (!holds_copy(line, core)) return false;
  if (access == Access::write && line.state != CacheLine::State::exclusive) return false;
  if (!in_flight(line)) return true;
  const bool keeps_copy = line.write_in_flight == nullptr && access == Access::read;
  return keeps_copy || simulation_.now() < line.lost_at;
}

void MemorySystem::request(LineRequest& request) {
  CacheLine& line = *request.line;
  request.issued = simulation_.now();
  const bool joins_reads = line.reads_in_flight > 0 && line.waiting.empty() && reads_overlap(line);
  if (request.access == Access::read && joins_reads) return start(request);
  line.waiting.push(request);
  if (!in_flight(line)) start_next(line);
}

/// Once it is shared, caches answer by themselves.
bool MemorySystem::reads_overlap(const CacheLine& line) const {
  return line.state == CacheLine::State::shared && protocol_.read_interval().has_value();
}

void MemorySystem::start_next(CacheLine& line) {
  LineRequest& request = take_next(line);
  start(request);
  if (request.access == Access::write || !reads_overlap(line)) return;
  while (!line.waiting.empty() && line.waiting.front()->access == Access::read) {
    start(line.waiting.pop());
  }
}

/// First the core that has the line: its own request is there before any snoop, and finds the line
/// or has only the other copies invalidated. Then, until the home can have heard that the line came
/// below its L3 and its next snoop can have taken it, who waits below that L3. Then the others:
/// that snoop is for one of them, as the home knows nothing of who waits below.
LineRequest& MemorySystem::take_next(CacheLine& line) {
  const L3Id l3 = topology_.l3_of(line.responder);
  const bool snooped = simulation_.now() > line.came_below_l3 +
                                               topology_.home_round_trip(l3, line.home) +
                                               timing_.hold_window;
  return line.waiting.pop_lowest([&](const LineRequest& waiting) -> std::uint32_t {
    if (waiting.core == line.responder) return 0;
    const bool below = topology_.l3_of(waiting.core) == l3;
    return below == snooped ? 2 : 1;
  });
}

void MemorySystem::start(LineRequest& request) {
  CacheLine& line = *request.line;
  const Picoseconds now = simulation_.now();
  // A sibling may have brought the line meanwhile: then it only crosses the core.
  const bool at_hand =
      holds_copy(line, request.core) &&
      (request.access == Access::read || line.state == CacheLine::State::exclusive);
  Transfer transfer{timing_.same_core, Distance::same_core};
  if (!at_hand) transfer = protocol_.transfer(request, now);
  if (!in_flight(line)) line.lost_at = now + std::min(timing_.hold_window, transfer.latency);
  if (request.access == Access::write) {
    line.write_in_flight = &request;
  } else {
    ++line.reads_in_flight;
  }
  const auto distance = static_cast<std::size_t>(transfer.distance);
  ++counts_.transfers[distance];
  counts_.latency[distance] += static_cast<std::uint64_t>(transfer.latency.count);
  const Picoseconds turn = at_hand ? now : turn_of(request);
  counts_.queueing += static_cast<std::uint64_t>((turn - request.issued).count);
  if (request.access == Access::write) requeue_spinners(line);
  simulation_.schedule(*request.requester, turn + transfer.latency);
}

/// When the request is answered: now, or after the reads that it overlaps with.
Picoseconds MemorySystem::turn_of(const LineRequest& request) {
  const Picoseconds now = simulation_.now();
  if (request.access == Access::write) return now;
  const std::optional<Picoseconds> interval = protocol_.read_interval();
  if (!interval) return now;
  CacheLine& line = *request.line;
  const Picoseconds turn = std::max(now, line.next_read_at);
  line.next_read_at = turn + *interval;
  return turn;
}

void MemorySystem::complete(LineRequest& request) {
  CacheLine& line = *request.line;
  assert((request.access == Access::write ? line.write_in_flight == &request
                                          : line.reads_in_flight > 0) &&
         "a line arrives at a request that is in flight");
  const bool was_cached = line.state != CacheLine::State::uncached;
  const L3Id before = topology_.l3_of(line.responder);
  if (request.access == Access::write) {
    line.write_in_flight = nullptr;
    make_exclusive(line, request.core);
  } else {
    --line.reads_in_flight;
    share(line, request.core);
  }
  if (!was_cached || topology_.l3_of(line.responder) != before) {
    line.came_below_l3 = simulation_.now();
  }
  if (!in_flight(line) && !line.waiting.empty()) start_next(line);
}

void MemorySystem::watch(LineRequest& request) {
  CacheLine& line = *request.line;
  if (line.write_in_flight != nullptr || !holds_copy(line, request.core))
    return this->request(request);
  request.issued = simulation_.now();
  line.spinners.push(request);
}

void MemorySystem::wrote(CacheLine& line, CoreId core) {
  assert(line.state == CacheLine::State::exclusive && line.responder == core &&
         "one owner of a line");
  if (!line.spinners.empty()) requeue_spinners(line);
}

void MemorySystem::requeue_spinners(CacheLine& line) {
  RequestQueue spinners = std::exchange(line.spinners, {});
  while (!spinners.empty()) request(spinners.pop());
}

void MemorySystem::share(CacheLine& line, CoreId reader) {
  if (holds_copy(line, reader)) return;
  if (line.state == CacheLine::State::uncached) {
    line.state = CacheLine::State::exclusive;
    line.responder = reader;
    return;
  }
  if (line.state == CacheLine::State::exclusive) {
    line.sharers = take_sharers();
    insert(line.sharers, line.responder);
    line.state = CacheLine::State::shared;
  }
  line.responder = protocol_.responder_after_read(line, reader);
  insert(line.sharers, reader);
}

void MemorySystem::make_exclusive(CacheLine& line, CoreId owner) {
  if (line.sharers != nullptr) free_sharer_sets_.push_back(std::exchange(line.sharers, nullptr));
  line.state = CacheLine::State::exclusive;
  line.responder = owner;
}

std::uint64_t* MemorySystem::take_sharers() {
  if (free_sharer_sets_.empty()) {
    return sharer_sets_.emplace_back(sharer_words_).data();
  }
  std::uint64_t* const set = free_sharer_sets_.back();
  free_sharer_sets_.pop_back();
  std::fill_n(set, sharer_words_, 0);
  return set;
}

}  // namespace futexsim
