#pragma once

#include <bit>

#include "futexsim/kernel/table_policy.hpp"

namespace futexsim {

/// What every policy asks for.
struct TableParameters {
  std::uint32_t buckets = 0;

  static Declaration<TableParameters> declaration(const std::string& name,
                                                  const std::string& help) {
    return Declaration<TableParameters>(name, help)
        .required("buckets", &TableParameters::buckets,
                  {.unit = "buckets",
                   .help = "of the table, or of each node's part of it; a power of two",
                   .min = 1,
                   .max = 1 << 22})
        .check([](const TableParameters& table, const Cursor& at) {
          if (!std::has_single_bit(table.buckets)) at.at("buckets").refuse("a power of two");
        });
  }
};

/// A table whose pages all lie on one node: what kvmalloc() gives a task of that node.
inline HashTable table_on_node(const TableParameters& table, const TableContext& context,
                               NodeId node) {
  return {context.hardware.memory(), table.buckets, context.layout,
          [node](std::uint64_t) { return node; }};
}

}  // namespace futexsim
