#include "futexsim/workload/workload.hpp"

namespace futexsim {

RunningWorkload::RunningWorkload(const WorkloadContext& context)
    : by_thread_(context.placement.measured()) {
  std::vector<Mm*> processes;
  const Placement& placement = context.placement;
  for (std::size_t i = 0; i < placement.main_nodes.size(); ++i) {
    processes.push_back(&context.kernel.create_mm(
        placement.main_nodes[i], placement.threads_of_process.at(i), context.random));
  }
  for (const Placement::ThreadPlace& place : placement.threads) {
    threads_.emplace_back(static_cast<std::uint32_t>(threads_.size()), *processes[place.process],
                          context.hardware.cpu(place.cpu), place.priority);
  }
}

void RunningWorkload::place_line(const WorkloadContext& context, const Thread& thread,
                                 const FutexKey& key) {
  const HashBucket& bucket = context.kernel.bucket_of(thread.mm(), key);
  context.hardware.memory().place(*bucket.lock.line, thread.cpu().core_id());
}

void RunningWorkload::start_amid(const WorkloadContext& context, Thread& thread, Task<> program) {
  const auto below = [&](Picoseconds time) {
    return Picoseconds{
        static_cast<std::int64_t>(context.random.below(static_cast<std::uint64_t>(time.count)))};
  };
  Scheduler& scheduler = context.kernel.scheduler();
  const Picoseconds start = below(context.kernel.local_work() + Picoseconds{1});
  if (scheduler.start(thread, std::move(program), start)) return;
  scheduler.advance_slice(thread, below(scheduler.times().time_slice));
}

}  // namespace futexsim
