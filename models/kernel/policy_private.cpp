#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// One table for each process, on the node of the thread that asked for it, to which operations
/// hold no reference.
class PrivateTable : public FutexTable {
 public:
  PrivateTable(const PrivateTableParameters& parameters, const TableContext& context)
      : PrivateTable(parameters, context, 0) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  unsigned hash_bits() const override { return bits_of(table_); }

 protected:
  PrivateTable(const PrivateTableParameters& parameters, const TableContext& context,
               std::uint64_t header)
      : table_(private_table(parameters, context, header)) {}

 private:
  HashTable table_;
};

/// In struct futex_private_hash (v11 of the 2025 series), but it can't be resized.
class ImmutableTable final : public PrivateTable {
 public:
  ImmutableTable(const PrivateTableParameters& parameters, const TableContext& context)
      : PrivateTable(parameters, context, header_bytes(context)) {}
};

using PrivatePolicy = PolicyOf<PrivateTable, TableScope::process, PrivateTableParameters>;

class ImmutablePolicy final
    : public PolicyOf<ImmutableTable, TableScope::process, PrivateTableParameters> {
 public:
  using PolicyOf::PolicyOf;
  bool is_immutable() const override { return true; }

  static std::unique_ptr<TablePolicy> make(const PrivateTableParameters& parameters) {
    return std::make_unique<ImmutablePolicy>(parameters);
  }
};

const auto private_declaration =
    PrivateTableParameters::declaration("private", "a table for each process (2024 RFC)");
const Register<TablePolicy> private_table{private_declaration, PrivatePolicy::make};

const auto immutable_declaration = PrivateTableParameters::declaration(
    "immutable", "a table for each process that can't be resized (2025 series)");
const Register<TablePolicy> immutable_table{immutable_declaration, ImmutablePolicy::make};

}  // namespace
}  // namespace futexsim
