#include "futexsim/hardware/cpu.hpp"

#include <algorithm>
#include <cassert>

namespace futexsim {

Cpu::Cpu(Simulation& simulation, MemorySystem& memory, Core& core, CoreId core_id, CpuId id,
         Costs costs)
    : simulation_(simulation),
      memory_(memory),
      core_(core),
      core_id_(core_id),
      id_(id),
      costs_(costs),
      store_buffer_(simulation, memory, *this, core_id),
      write_prefetch_(simulation, memory, core_id) {
  simulation.join(*this);
  core.add(*this);
  request_.requester = this;
  request_.core = core_id;
}

void Cpu::start(Task<> program, Picoseconds first_step) {
  first_.start(std::move(program));
  run(first_, first_step);
}

void Cpu::run(Process& process, Picoseconds first_step) {
  assert(is_idle());
  process_ = &process;
  operation_ = Operation::none;
  core_.enter(*this);
  work_ += first_step;
  phase_ = Phase::computing;
  run_work();
}

bool Cpu::buffer_admits(Operation operation) const {
  switch (operation) {
    case Operation::none:
    case Operation::load:
    case Operation::prefetch:
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
         (!needs_line(operation) || memory_.hits(line, core_id_, access_of(operation)));
}

void Cpu::suspend(Operation operation, CacheLine* line, std::coroutine_handle<> handle,
                  const Condition* condition) {
  process_->suspend_at(handle);
  operation_ = operation;
  request_.line = line;
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

void Cpu::stall(Picoseconds duration) {
  const bool computing = phase_ == Phase::computing;
  if (computing) settle();
  work_ += duration;
  if (computing) run_work();
}

void Cpu::wait_as(Phase phase) {
  phase_ = phase;
  since_ = simulation_.now();
  if (active_) core_.leave(*this);
}

void Cpu::go_on() {
  if (!active_) core_.enter(*this);
  phase_ = Phase::idle;
  const Process* running = nullptr;
  while (process_ != running) {  // a switch: the next one goes on from here, with an empty stack
    running = process_;
    if (process_ != nullptr) process_->resume();
  }
  if (process_ != nullptr && process_->done()) process_ = nullptr;
  if (process_ == nullptr) core_.leave(*this);
}

/// The computation is done: the access itself, as soon as buffer and line allow it.
void Cpu::attempt() {
  if (!buffer_admits(operation_)) return wait_as(Phase::draining);
  if (!needs_line(operation_)) return go_on();
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

void Cpu::store_became_visible() {
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
