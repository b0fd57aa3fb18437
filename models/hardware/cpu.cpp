#include "futexsim/hardware/cpu.hpp"

#include <algorithm>
#include <cassert>

namespace futexsim {

void Core::enter(Cpu& cpu) {
  assert(!cpu.active_);
  settle_others(cpu);
  cpu.active_ = true;
  ++active_;
  for (Cpu* other : cpus_) {
    if (other != &cpu && other->phase_ == Cpu::Phase::computing) other->run_work();
  }
}

void Core::leave(Cpu& cpu) {
  assert(cpu.active_);
  settle_others(cpu);
  cpu.active_ = false;
  --active_;
  for (Cpu* other : cpus_) {
    if (other != &cpu && other->phase_ == Cpu::Phase::computing) other->run_work();
  }
}

void Core::settle_others(Cpu& cpu) {
  for (Cpu* other : cpus_) {
    if (other != &cpu && other->phase_ == Cpu::Phase::computing) other->settle();
  }
}

StoreBuffer::StoreBuffer(Simulation& simulation, MemorySystem& memory, Cpu& cpu, CoreId core)
    : memory_(memory), cpu_(cpu) {
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
  buffer->cpu_.buffer_moved();
}

void StoreBuffer::commit(Entry& entry) {
  entry.word->value = (entry.word->value & ~entry.mask) | entry.value;
  memory_.wrote(*entry.word->line);
  oldest_ = (oldest_ + 1) % depth;
  --used_;
}

void StoreBuffer::commit_in_order() {
  while (used_ > 0) {
    Entry& entry = oldest();
    if (entry.requested) return;
    ask_for_line(entry);  // unless it is still, or again, the core's own
    if (entry.requested) return;
    commit(entry);
  }
}

Cpu::Cpu(Simulation& simulation, MemorySystem& memory, Core& core, CoreId core_id, CpuId id,
         Costs costs)
    : simulation_(simulation),
      memory_(memory),
      core_(core),
      core_id_(core_id),
      id_(id),
      costs_(costs),
      store_buffer_(simulation, memory, *this, core_id) {
  simulation.join(*this);
  core.add(*this);
  request_.requester = this;
  request_.core = core_id;
}

void Cpu::start(Task<> program, Picoseconds first_step) {
  process_.start(std::move(program));
  core_.enter(*this);
  work_ = first_step;
  phase_ = Phase::computing;
  request_.line = nullptr;
  run_work();
}

bool Cpu::buffer_admits(Operation operation) const {
  switch (operation) {
    case Operation::load:
      return true;
    case Operation::store:
      return !store_buffer_.full();
    case Operation::atomic:
      return store_buffer_.empty();
  }
  return true;
}

bool Cpu::ready(Operation operation, const CacheLine& line) const {
  return work_ == Picoseconds{} && buffer_admits(operation) &&
         (operation == Operation::store || memory_.hits(line, core_id_, access_of(operation)));
}

void Cpu::suspend(Operation operation, CacheLine& line, std::coroutine_handle<> handle,
                  const Condition* condition) {
  process_.suspend_at(handle);
  operation_ = operation;
  request_.line = &line;
  request_.access = access_of(operation);
  condition_ = condition;
  if (work_ == Picoseconds{}) return attempt();
  phase_ = Phase::computing;
  run_work();
}

void Cpu::run_work() {
  since_ = simulation_.now();
  const Picoseconds duration{(work_.count * 1000 + core_.speed_per_mille() - 1) /
                             core_.speed_per_mille()};
  simulation_.schedule(*this, since_ + duration);
}

void Cpu::settle() {
  const Picoseconds elapsed = simulation_.now() - since_;
  time_.computing += static_cast<std::uint64_t>(elapsed.count);
  since_ = simulation_.now();
  work_.count =
      std::max<std::int64_t>(0, work_.count - elapsed.count * core_.speed_per_mille() / 1000);
}

void Cpu::wait_as(Phase phase) {
  phase_ = phase;
  since_ = simulation_.now();
  if (active_) core_.leave(*this);
}

void Cpu::go_on() {
  if (!active_) core_.enter(*this);
  phase_ = Phase::idle;
  process_.resume();
  if (process_.done()) core_.leave(*this);
}

/// The computation is done: the access itself, as soon as buffer and line allow it.
void Cpu::attempt() {
  if (!buffer_admits(operation_)) return wait_as(Phase::draining);
  if (operation_ == Operation::store || request_.line == nullptr) return go_on();
  if (!memory_.hits(*request_.line, core_id_, request_.access)) {
    wait_as(Phase::line);
    return memory_.request(request_);
  }
  if (condition_ != nullptr && !condition_->holds()) {
    wait_as(Phase::spinning);
    return memory_.watch(request_);
  }
  go_on();
}

void Cpu::arrived() {
  if (phase_ == Phase::spinning) {
    time_.spinning += static_cast<std::uint64_t>((request_.issued - since_).count);
    since_ = request_.issued;
  }
  time_.line += static_cast<std::uint64_t>((simulation_.now() - since_).count);
  memory_.complete(request_);
  if (condition_ != nullptr && !condition_->holds()) {
    wait_as(Phase::spinning);
    return memory_.watch(request_);
  }
  go_on();
}

void Cpu::buffer_moved() {
  if (phase_ != Phase::draining || !buffer_admits(operation_)) return;
  time_.draining += static_cast<std::uint64_t>((simulation_.now() - since_).count);
  attempt();
}

void Cpu::fire() {
  if (phase_ != Phase::computing) return arrived();
  time_.computing += static_cast<std::uint64_t>((simulation_.now() - since_).count);
  work_ = {};
  attempt();
}

}  // namespace futexsim
