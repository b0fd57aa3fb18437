#include "futexsim/hardware/cpu.hpp"

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

Cpu::Cpu(Simulation& simulation, MemorySystem& memory, Core& core, CoreId core_id, CpuId id,
         Costs costs)
    : simulation_(simulation),
      memory_(memory),
      core_(core),
      core_id_(core_id),
      id_(id),
      costs_(costs),
      store_buffer_(*this) {
  simulation.join(*this);
  simulation.join(store_buffer_);
  core.add(*this);
  request_.requester = this;
  request_.core = core_id;
}

void Cpu::start(Task<> program, Picoseconds first_step) {
  process_.start(std::move(program));
  core_.enter(*this);
  work_ = first_step;
  request_.line = nullptr;
  phase_ = Phase::computing;
  run_work();
}

bool Cpu::ready(CacheLine& line, Access access) {
  return work_ == Picoseconds{} && !(access == Access::write && store_buffer_.busy()) &&
         memory_.hits(line, core_id_, access);
}

void Cpu::suspend(CacheLine* line, Access access, std::coroutine_handle<> handle,
                  const Condition* condition) {
  process_.suspend_at(handle);
  request_.line = line;
  request_.access = access;
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
  work_.count = std::max<std::int64_t>(
      0, work_.count - elapsed.count * core_.speed_per_mille() / 1000);
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
}

void Cpu::attempt() {
  if (request_.access == Access::write && store_buffer_.busy()) return wait_as(Phase::draining);
  if (request_.line == nullptr) return go_on();
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
  const Picoseconds now = simulation_.now();
  if (phase_ == Phase::spinning) {
    time_.spinning += static_cast<std::uint64_t>((request_.issued - since_).count);
    since_ = request_.issued;
  }
  time_.line += static_cast<std::uint64_t>((now - since_).count);
  memory_.complete(request_);
  if (condition_ != nullptr && !condition_->holds()) {
    wait_as(Phase::spinning);
    return memory_.watch(request_);
  }
  go_on();
}

void Cpu::fire() {
  if (phase_ != Phase::computing) return arrived();
  time_.computing += static_cast<std::uint64_t>((simulation_.now() - since_).count);
  work_ = {};
  attempt();
}

void Cpu::StoreBuffer::put(Word& word, std::uint32_t value) {
  assert(!busy());
  if (cpu_.memory_.hits(*word.line, cpu_.core_id_, Access::write)) {
    word.value = value;
    return cpu_.memory_.wrote(*word.line);
  }
  word_ = &word;
  value_ = value;
  request_.requester = this;
  request_.core = cpu_.core_id_;
  request_.access = Access::write;
  request_.line = word.line;
  cpu_.memory_.request(request_);
}

void Cpu::StoreBuffer::fire() {
  cpu_.memory_.complete(request_);
  word_->value = value_;
  cpu_.memory_.wrote(*word_->line);
  word_ = nullptr;
  if (cpu_.phase_ == Phase::draining) {
    cpu_.time_.draining +=
        static_cast<std::uint64_t>((cpu_.simulation_.now() - cpu_.since_).count);
    cpu_.attempt();
  }
}

}  // namespace futexsim
