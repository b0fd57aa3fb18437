#include "futexsim/workload/workload.hpp"

namespace futexsim {

RunningWorkload::RunningWorkload(const WorkloadContext& context)
    : by_thread_(context.placement.measured()) {
  std::vector<Mm*> processes;
  for (const NodeId main_node : context.placement.main_nodes) {
    processes.push_back(&context.kernel.create_mm(main_node, context.random));
  }
  for (const Placement::ThreadPlace& place : context.placement.threads) {
    threads_.emplace_back(static_cast<std::uint32_t>(threads_.size()), *processes[place.process],
                          context.hardware.cpu(place.cpu), place.priority);
  }
}

}  // namespace futexsim
