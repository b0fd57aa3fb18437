#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// The one table of the system until v6.15: a static array, which lies with the kernel's image on
/// the first node, or what alloc_large_system_hash() gives, its pages dealt to all nodes.
class GlobalTable final : public FutexTable {
 public:
  GlobalTable(const TableParameters& parameters, const TableContext& context)
      : table_(parameters.count() <= context.static_buckets
                   ? table_on_node(parameters, context, {0})
                   : HashTable(context.hardware.memory(), parameters.count(),
                               layout_of(parameters, context),
                               interleaved_by_vmalloc(bytes_of_buckets(parameters, context),
                                                      context.hardware.topology().nodes()))) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  unsigned hash_bits() const override { return bits_of(table_); }

 private:
  HashTable table_;
};

const auto declaration =
    TableParameters::declaration("global", "one table for the whole system (until v6.15)");
const Register<TablePolicy> global{declaration, PolicyOf<GlobalTable, TableScope::system>::make};

}  // namespace
}  // namespace futexsim
