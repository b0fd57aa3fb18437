#include <stdexcept>

#include "futexsim/kernel/kernel.hpp"

namespace futexsim {

PolicyChoice with_buckets(const PolicyChoice& choice, const KernelParameters& kernel,
                          const Topology& topology, std::uint32_t threads) {
  const std::unique_ptr<TablePolicy> policy = choice.make();
  if (policy->buckets()) return choice;
  const SizingChoice& rule = policy->is_private() ? kernel.private_sizing : kernel.global_sizing;
  if (!rule) {
    throw choice.cursor().error("no number of buckets", "a policy with \"buckets\", as kernel " +
                                                            kernel.name +
                                                            " gives no process a table unasked");
  }
  nlohmann::json filled = choice.resolved();
  filled["buckets"] = rule.make()->buckets(topology, threads);
  return PolicyChoice(Document("policy", filled).cursor());
}

PolicyChoice global_policy(const KernelParameters& kernel, const Topology& topology) {
  for (const std::string& name : kernel.policies) {
    const PolicyChoice choice(name);
    if (!choice.make()->is_private()) return with_buckets(choice, kernel, topology, 1);
  }
  throw std::logic_error("kernel " + kernel.name + " has no global table");
}

}  // namespace futexsim
