#include <vector>

#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// A global table in one part for each node, each in that node's memory (v6.16 and later): the
/// hash's bits above those of the bucket choose the part (__futex_hash() without FUTEX2_NUMA).
class PerNodeTables final : public FutexTable {
 public:
  PerNodeTables(const TableParameters& parameters, const TableContext& context) {
    for (std::uint32_t node = 0; node < context.hardware.topology().nodes(); ++node) {
      tables_.push_back(table_on_node(parameters, context, {node}));
    }
  }

  HashBucket& bucket(std::uint32_t hash) override {
    return tables_[(hash >> hash_bits()) % tables_.size()].at_hash(hash);
  }
  HashBucket& bucket_on(NodeId node, std::uint32_t hash) override {
    return tables_[node.value].at_hash(hash);
  }
  unsigned hash_bits() const override { return bits_of(tables_.front()); }

 private:
  std::vector<HashTable> tables_;
};

const auto declaration =
    TableParameters::declaration("global-per-node", "a global table for each node (since v6.16)");
const Register<TablePolicy> global_per_node{declaration,
                                            PolicyOf<PerNodeTables, TableScope::system>::make};

}  // namespace
}  // namespace futexsim
