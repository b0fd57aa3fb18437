#pragma once

#include <bit>
#include <optional>

#include "futexsim/kernel/table_policy.hpp"

namespace futexsim {

/// What every policy asks for.
struct TableParameters {
  std::uint32_t buckets = 0;
  std::optional<bool> aligned;

  static Declaration<TableParameters> declaration(const std::string& name,
                                                  const std::string& help) {
    return Declaration<TableParameters>(name, help)
        .required("buckets", &TableParameters::buckets,
                  {.unit = "buckets",
                   .help = "of the table, or of each node's part of it; a power of two",
                   .min = 1,
                   .max = 1 << 22})
        .optional("aligned", &TableParameters::aligned,
                  {.help = "does each bucket begin a cache line? As the kernel has it if absent"})
        .check([](const TableParameters& table, const Cursor& at) {
          if (!std::has_single_bit(table.buckets)) at.at("buckets").refuse("a power of two");
        });
  }
};

/// The layout of the table's buckets.
inline BucketLayout layout_of(const TableParameters& table, const TableContext& context) {
  BucketLayout layout = context.layout;
  layout.cacheline_aligned = table.aligned.value_or(layout.cacheline_aligned);
  return layout;
}

enum class TableScope : std::uint8_t { system, process };

/// A policy whose table is a `Table`, constructed from parameters and context.
template <class Table, TableScope scope>
class PolicyOf final : public TablePolicy {
 public:
  explicit PolicyOf(const TableParameters& parameters) : parameters_(parameters) {}

  bool is_private() const override { return scope == TableScope::process; }
  std::uint32_t buckets() const override { return parameters_.buckets; }
  std::unique_ptr<FutexTable> build(const TableContext& context) const override {
    return std::make_unique<Table>(parameters_, context);
  }

  static std::unique_ptr<TablePolicy> make(const TableParameters& parameters) {
    return std::make_unique<PolicyOf>(parameters);
  }

 private:
  TableParameters parameters_;
};

inline unsigned bits_of(const HashTable& table) {
  return static_cast<unsigned>(std::bit_width(table.size())) - 1;
}

/// A table whose pages all lie on one node: what kvmalloc() gives a task of that node.
inline HashTable table_on_node(const TableParameters& table, const TableContext& context,
                               NodeId node) {
  return {context.hardware.memory(), table.buckets, layout_of(table, context),
          [node](std::uint64_t) { return node; }};
}

}  // namespace futexsim
