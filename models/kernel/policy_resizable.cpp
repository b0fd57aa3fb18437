#include "table_parameters.hpp"

namespace futexsim {
namespace {

/// rcuref of struct futex_private_hash (v10 and v11 of the 2025 series): one unconditional atomic
/// to get and one to put. The counter shares the structure's first line with hash_mask, which
/// __futex_hash() reads, and with `immutable`, which futex_private_hash_get() and _put() read.
class Rcuref final : public ReferenceCount {
 public:
  explicit Rcuref(CacheLine& line) : users_{.line = &line}, constants_{.line = &line} {}

  Task<> read_mask(Cpu& cpu) override { co_await cpu.load(constants_); }
  Task<> get(Cpu& cpu) override {
    co_await cpu.load(constants_);
    co_await cpu.fetch_add(users_, 1);
  }
  Task<> put(Cpu& cpu) override {
    co_await cpu.load(constants_);
    co_await cpu.fetch_add(users_, ~0U);
  }

 private:
  Word users_;
  Word constants_;
};

/// One table for each process that can be replaced while it is in use, and therefore counts the
/// operations that are inside it.
class ResizableTable final : public FutexTable {
 public:
  ResizableTable(const TableParameters& parameters, const TableContext& context)
      : references_(context.hardware.memory().allocate(context.node)),
        table_(table_on_node(parameters, context, context.node)) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  unsigned hash_bits() const override { return bits_of(table_); }
  ReferenceCount* references() override { return &references_; }

 private:
  Rcuref references_;
  HashTable table_;
};

const auto declaration = TableParameters::declaration(
    "resizable", "a table for each process that counts its users (2025 series)");
const Register<TablePolicy> resizable{declaration,
                                      PolicyOf<ResizableTable, TableScope::process>::make};

}  // namespace
}  // namespace futexsim
