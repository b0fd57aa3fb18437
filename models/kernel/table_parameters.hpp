#pragma once

#include <bit>
#include <optional>
#include <string>

#include "futexsim/kernel/table_policy.hpp"
#include "page_placement.hpp"

namespace futexsim {

/// What every policy asks for.
struct TableParameters {
  std::optional<std::uint32_t> buckets;
  std::optional<bool> aligned;

  static Declaration<TableParameters> declaration(const std::string& name,
                                                  const std::string& help) {
    return begin<TableParameters>(name, help);
  }
  /// A policy's declaration, begun with these.
  template <class P>
  static Declaration<P> begin(const std::string& name, const std::string& help) {
    using Buckets = std::optional<std::uint32_t> P::*;
    using Aligned = std::optional<bool> P::*;
    return Declaration<P>(name, help)
        .optional("buckets", static_cast<Buckets>(&P::buckets),
                  {.unit = "buckets",
                   .help = "of the table, or of each node's part of it; a power of two. As many "
                           "as the kernel gives by itself if absent",
                   .min = 1,
                   .max = 1 << 22})
        .optional("aligned", static_cast<Aligned>(&P::aligned),
                  {.help = "does each bucket begin a cache line? As the kernel has it if absent"})
        .check([](const P& table, const Cursor& at) {
          if (table.buckets && !std::has_single_bit(*table.buckets)) {
            at.at("buckets").refuse("a power of two");
          }
        });
  }

  std::uint32_t count() const { return buckets.value(); }
  void check(const Cursor&, const Topology&) const {}
};

/// What policies of private tables ask for.
struct PrivateTableParameters : TableParameters {
  std::optional<std::string> mempolicy;

  template <class P>
  static Declaration<P> begin(const std::string& name, const std::string& help) {
    using Text = std::optional<std::string> P::*;
    return TableParameters::begin<P>(name, help)
        .optional("mempolicy", static_cast<Text>(&P::mempolicy),
                  {.help = "of the thread that asks for the table: local, the main thread's node "
                           "(as if absent); nodeK, bound to it; interleave, which spreads tables "
                           "over 4 MiB only",
                   .pattern = "local|interleave|node[0-9]{1,4}"});
  }
  static Declaration<PrivateTableParameters> declaration(const std::string& name,
                                                         const std::string& help) {
    return begin<PrivateTableParameters>(name, help);
  }

  void check(const Cursor& at, const Topology& topology) const {
    const NodeId node = bound_node(mempolicy.value_or("local")).value_or(NodeId{0});
    if (node.value < topology.nodes()) return;
    at.at("mempolicy")
        .refuse("local, interleave, or node0 to node" + std::to_string(topology.nodes() - 1));
  }
};

/// The layout of the table's buckets.
inline BucketLayout layout_of(const TableParameters& table, const TableContext& context) {
  BucketLayout layout = context.layout;
  layout.cacheline_aligned = table.aligned.value_or(layout.cacheline_aligned);
  return layout;
}

inline std::uint64_t bytes_of_buckets(const TableParameters& table, const TableContext& context) {
  return std::uint64_t{table.count()} *
         bucket_stride(layout_of(table, context), context.hardware.memory().timing().line_bytes);
}

enum class TableScope : std::uint8_t { system, process };

/// A policy whose table is a `Table`, constructed from parameters and context.
template <class Table, TableScope scope, class Parameters = TableParameters>
class PolicyOf : public TablePolicy {
 public:
  explicit PolicyOf(const Parameters& parameters) : parameters_(parameters) {}

  bool is_private() const override { return scope == TableScope::process; }
  std::optional<std::uint32_t> buckets() const override { return parameters_.buckets; }
  void check(const Cursor& at, const Topology& topology) const override {
    parameters_.check(at, topology);
  }
  std::unique_ptr<FutexTable> build(const TableContext& context) const override {
    return std::make_unique<Table>(parameters_, context);
  }

  static std::unique_ptr<TablePolicy> make(const Parameters& parameters) {
    return std::make_unique<PolicyOf>(parameters);
  }

 protected:
  const Parameters& parameters() const { return parameters_; }

 private:
  Parameters parameters_;
};

inline unsigned bits_of(const HashTable& table) {
  return static_cast<unsigned>(std::bit_width(table.size())) - 1;
}

/// A table whose pages all lie on one node.
inline HashTable table_on_node(const TableParameters& table, const TableContext& context,
                               NodeId node) {
  return {context.hardware.memory(), table.count(), layout_of(table, context),
          [node](std::uint64_t) { return node; }};
}

/// struct futex_private_hash before its queues, which begin a line.
inline std::uint64_t header_bytes(const TableContext& context) {
  return context.hardware.memory().timing().line_bytes;
}

/// Homes of a process's table, and of a header of `header_bytes` before it, by offset in both.
inline std::function<NodeId(std::uint64_t)> homes_of(const PrivateTableParameters& table,
                                                     const TableContext& context,
                                                     std::uint64_t header_bytes) {
  return placed_by_kvmalloc(header_bytes + bytes_of_buckets(table, context),
                            table.mempolicy.value_or("local"), context.node,
                            context.hardware.topology().nodes());
}

/// The buckets of a process's table.
inline HashTable private_table(const PrivateTableParameters& table, const TableContext& context,
                               std::uint64_t header_bytes) {
  return {context.hardware.memory(), table.count(), layout_of(table, context),
          [homes = homes_of(table, context, header_bytes), header_bytes](std::uint64_t offset) {
            return homes(header_bytes + offset);
          }};
}

}  // namespace futexsim
