#include "page_placement.hpp"
#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// The one table of the system until v6.15, its pages dealt to all nodes.
class GlobalTable final : public TablePolicy {
 public:
  GlobalTable(const TableParameters& parameters, const TableContext& context)
      : table_(context.hardware.memory(), parameters.buckets, context.layout,
               interleaved_by_vmalloc(table_bytes(parameters, context),
                                      context.hardware.topology().nodes())) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  std::uint32_t buckets() const override { return table_.size(); }
  bool is_private() const override { return false; }

 private:
  static std::uint64_t table_bytes(const TableParameters& parameters, const TableContext& context) {
    return std::uint64_t{parameters.buckets} *
           bucket_stride(context.layout, context.hardware.memory().timing().line_bytes);
  }

  HashTable table_;
};

const auto declaration =
    TableParameters::declaration("global", "one table for the whole system (until v6.15)");
const Register<TablePolicy, const TableContext&> global{
    declaration, [](const TableParameters& parameters, const TableContext& context) {
      return std::make_unique<GlobalTable>(parameters, context);
    }};

}  // namespace
}  // namespace futexsim
