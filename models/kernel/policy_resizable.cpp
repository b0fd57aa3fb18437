#include "counted_table.hpp"

namespace futexsim {
namespace {

/// rcuref of struct futex_private_hash (v10 and v11 of the 2025 series): one unconditional atomic
/// to get and one to put. The counter shares the structure's first line with hash_mask, which
/// __futex_hash() reads, and with `immutable`, which futex_private_hash_get() and _put() read.
///
/// Its value is the number of references less one (include/linux/rcuref.h). A resize drops the
/// initial one; who then puts the last marks the counter dead, unless another gets one before.
class Rcuref final : public ReferenceCount {
 public:
  /// `drop_at`: from when on the next operation drops the initial reference.
  Rcuref(CacheLine& line, Picoseconds drop_at)
      : drop_at_(drop_at), users_{.line = &line}, constants_{.line = &line} {}

  Task<> read_mask(Cpu& cpu) override { co_await cpu.load(constants_); }
  Task<bool> get(Cpu& cpu) override {
    if (cpu.now() >= drop_at_) {
      drop_at_ = CountedTableParameters::never;
      co_await put(cpu);
    }
    co_await cpu.load(constants_);
    const std::uint32_t found = co_await cpu.fetch_add(users_, 1);
    if (found + 1 < released) co_return true;
    co_await cpu.store(users_, dead);  // rcuref_get_slowpath()
    co_return false;
  }
  Task<> put(Cpu& cpu) override {
    co_await cpu.load(constants_);
    const std::uint32_t found = co_await cpu.fetch_add(users_, ~0U);
    if (found == 0) {  // rcuref_put_slowpath()
      co_await cpu.compare_exchange(users_, no_reference, dead);
    }
  }

 private:
  static constexpr std::uint32_t released = 0xc000'0000;
  static constexpr std::uint32_t dead = 0xe000'0000;
  static constexpr std::uint32_t no_reference = 0xffff'ffff;

  Picoseconds drop_at_;
  Word users_;
  Word constants_;
};

/// One table for each process that can be replaced while it is in use, and therefore counts the
/// operations that are inside it.
class ResizableTable final : public CountedTable {
 public:
  ResizableTable(const CountedTableParameters& parameters, const TableContext& context)
      : CountedTable(parameters, context), references_(header(), parameters.resize_at()) {}

  ReferenceCount* references() override { return &references_; }
  std::unique_ptr<FutexTable> replacement() override {
    return std::make_unique<ResizableTable>(parameters().of_replacement(), context());
  }

 private:
  Rcuref references_;
};

const auto declaration = CountedTableParameters::declaration(
    "resizable", "a table for each process that counts its users (2025 series)");
const Register<TablePolicy> resizable{declaration, CountedPolicy<ResizableTable>::make};

}  // namespace
}  // namespace futexsim
