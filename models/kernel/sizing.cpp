#include "futexsim/kernel/sizing.hpp"

#include <algorithm>
#include <bit>

namespace futexsim {
namespace {

constexpr std::uint32_t per_cpu = 256;

/// futex_init() since v6.16, for each node's table.
std::uint32_t of_node(const Topology& topology) {
  return std::bit_ceil(std::max(4U, per_cpu * topology.cpus() / topology.nodes()));
}

struct FixedParameters {
  std::uint32_t buckets = 256;
};

/// futex_queues[1 << (CONFIG_BASE_SMALL ? 4 : 8)] until v3.13; the defaults of private tables in
/// the RFCs: 8 in 2016, 4 in v2 and 16 in v3 of 2024.
class Fixed final : public SizingRule {
 public:
  explicit Fixed(const FixedParameters& parameters) : buckets_(parameters.buckets) {}
  std::uint32_t buckets(const Topology&, std::uint32_t) const override { return buckets_; }

 private:
  std::uint32_t buckets_;
};

/// futex_init() from v3.14 to v6.15.
class PerCpu final : public SizingRule {
 public:
  std::uint32_t buckets(const Topology& topology, std::uint32_t) const override {
    return std::bit_ceil(per_cpu * topology.cpus());
  }
};

class PerCpuAndNode final : public SizingRule {
 public:
  std::uint32_t buckets(const Topology& topology, std::uint32_t) const override {
    return of_node(topology);
  }
};

/// futex_hash_allocate_default() as merged.
class FourPerThread final : public SizingRule {
 public:
  std::uint32_t buckets(const Topology& topology, std::uint32_t threads) const override {
    const std::uint32_t wanted = std::bit_ceil(per_thread * std::min(threads, topology.cpus()));
    return std::min(std::max(wanted, least), of_node(topology));
  }

 private:
  static constexpr std::uint32_t per_thread = 4;
  static constexpr std::uint32_t least = 16;
};

const auto fixed_declaration =
    Declaration<FixedParameters>("fixed", "so many, whatever the machine and the process")
        .required("buckets", &FixedParameters::buckets,
                  {.unit = "buckets", .help = "a power of two", .min = 1, .max = 1 << 22})
        .check([](const FixedParameters& fixed, const Cursor& at) {
          if (!std::has_single_bit(fixed.buckets)) at.at("buckets").refuse("a power of two");
        });
const Register<SizingRule> fixed{
    fixed_declaration, [](const FixedParameters& p) { return std::make_unique<Fixed>(p); }};

template <class Rule>
std::unique_ptr<SizingRule> make(const NoParameters&) {
  return std::make_unique<Rule>();
}

const Declaration<NoParameters> per_cpu_declaration(
    "256-per-cpu", "256 for each CPU, rounded up to a power of two (global, v3.14 to v6.15)");
const Register<SizingRule> per_cpu_rule{per_cpu_declaration, make<PerCpu>};

const Declaration<NoParameters> per_node_declaration(
    "256-per-cpu-and-node",
    "256 for each CPU divided by nodes, at least 4, rounded up: each node's part of the global "
    "table since v6.16");
const Register<SizingRule> per_node_rule{per_node_declaration, make<PerCpuAndNode>};

const Declaration<NoParameters> per_thread_declaration(
    "4-per-thread",
    "4 for each thread or CPU, whatever is fewer, rounded up; at least 16 and at most a node's "
    "part of the global table (private, since v6.17)");
const Register<SizingRule> per_thread_rule{per_thread_declaration, make<FourPerThread>};

}  // namespace
}  // namespace futexsim
