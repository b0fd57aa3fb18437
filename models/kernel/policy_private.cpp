#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// One table for each process, on the node of the thread that asked for it. With
/// `immutable` (v11 of the 2025 series) it can't be resized, so operations hold no reference;
/// the table of the 2024 RFC never had one.
class PrivateTable final : public TablePolicy {
 public:
  PrivateTable(const TableParameters& parameters, const TableContext& context)
      : table_(table_on_node(parameters, context, context.main_node)) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  std::uint32_t buckets() const override { return table_.size(); }
  bool is_private() const override { return true; }

 private:
  HashTable table_;
};

std::unique_ptr<TablePolicy> make(const TableParameters& parameters, const TableContext& context) {
  return std::make_unique<PrivateTable>(parameters, context);
}

const auto private_declaration =
    TableParameters::declaration("private", "a table for each process (2024 RFC)");
const Register<TablePolicy, const TableContext&> private_table{private_declaration, make};

const auto immutable_declaration = TableParameters::declaration(
    "immutable", "a table for each process that can't be resized (2025 series)");
const Register<TablePolicy, const TableContext&> immutable_table{immutable_declaration, make};

}  // namespace
}  // namespace futexsim
