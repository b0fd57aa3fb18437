#include "futexsim/hardware/store_buffer.hpp"

#include <algorithm>
#include <cassert>

namespace futexsim {

StoreBuffer::StoreBuffer(Simulation& simulation, MemorySystem& memory, Owner& owner, CoreId core)
    : memory_(memory), owner_(owner) {
  for (Entry& entry : entries_) {
    simulation.join(entry);
    entry.buffer = this;
    entry.request.requester = &entry;
    entry.request.core = core;
    entry.request.access = Access::write;
  }
}

void StoreBuffer::put(Word& word, std::uint32_t mask, std::uint32_t value) {
  assert(!full());
  Entry& entry = entries_[(oldest_ + used_) % depth];
  ++used_;
  entry.word = &word;
  entry.mask = mask;
  entry.value = value;
  ask_for_line(entry);
  commit_in_order();
}

bool StoreBuffer::asked_for(const CacheLine& line) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.requested && entry.word->line == &line;
  });
}

std::uint32_t StoreBuffer::forward(const Word& word) const {
  std::uint32_t value = word.value;
  for (std::uint32_t age = used_; age > 0; --age) {
    const Entry& entry = entries_[(oldest_ + used_ - age) % depth];
    if (entry.word == &word) value = (value & ~entry.mask) | entry.value;
  }
  return value;
}

void StoreBuffer::ask_for_line(Entry& entry) {
  if (asked_for(*entry.word->line)) return;  // one transfer serves both stores
  entry.requested = !memory_.hits(*entry.word->line, entry.request.core, Access::write);
  if (!entry.requested) return;
  entry.request.line = entry.word->line;
  memory_.request(entry.request);
}

void StoreBuffer::Entry::fire() {
  const CacheLine* const line = word->line;
  buffer->memory_.complete(request);
  requested = false;
  // The line is here at this instant, though the next transfer may have begun.
  while (!buffer->empty() && buffer->oldest().word->line == line) buffer->commit(buffer->oldest());
  buffer->commit_in_order();
  buffer->owner_.store_became_visible();
}

void StoreBuffer::commit(Entry& entry) {
  entry.word->value = (entry.word->value & ~entry.mask) | entry.value;
  memory_.wrote(*entry.word->line, entry.request.core);
  oldest_ = (oldest_ + 1) % depth;
  --used_;
}

void StoreBuffer::commit_in_order() {
  while (used_ > 0) {
    Entry& entry = oldest();
    if (entry.requested) return;
    ask_for_line(entry);  // unless it is still, or again, the core's own
    if (asked_for(*entry.word->line)) return;
    commit(entry);
  }
}

WritePrefetch::WritePrefetch(Simulation& simulation, MemorySystem& memory, CoreId core)
    : memory_(memory) {
  simulation.join(*this);
  request_.requester = this;
  request_.core = core;
  request_.access = Access::write;
}

void WritePrefetch::ask(CacheLine& line) {
  if (request_.line != nullptr || memory_.hits(line, request_.core, Access::write)) return;
  request_.line = &line;
  memory_.request(request_);
}

void WritePrefetch::fire() {
  memory_.complete(request_);
  request_.line = nullptr;
}

}  // namespace futexsim
