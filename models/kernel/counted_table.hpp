#pragma once

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "table_parameters.hpp"

namespace futexsim {

/// A replacement of a process's table while its threads run.
struct ResizeParameters {
  std::uint32_t buckets = 0;
  std::uint32_t at_us = 0;

  static const Declaration<ResizeParameters>& declaration() {
    using P = ResizeParameters;
    static const auto declaration =
        Declaration<P>("resize", "replaces the table while threads run")
            .required("buckets", &P::buckets,
                      {.unit = "buckets",
                       .help = "of the new one; a power of two",
                       .min = 1,
                       .max = 1 << 22})
            .required("at_us", &P::at_us,
                      {.unit = "us",
                       .help = "simulated time from which on the process's next futex operation "
                               "starts it",
                       .max = 1'000'000})
            .check([](const P& resize, const Cursor& at) {
              if (!std::has_single_bit(resize.buckets)) at.at("buckets").refuse("a power of two");
            });
    return declaration;
  }
};

/// What policies ask for whose tables count their users, and so can be replaced.
struct CountedTableParameters : PrivateTableParameters {
  static constexpr Picoseconds never{std::numeric_limits<std::int64_t>::max()};

  std::optional<ResizeParameters> resize;

  static Declaration<CountedTableParameters> declaration(const std::string& name,
                                                         const std::string& help) {
    return begin<CountedTableParameters>(name, help)
        .optional("resize", &CountedTableParameters::resize,
                  {.help = "another table takes its place; none if absent"});
  }

  /// When the kernel begins to replace the table.
  Picoseconds resize_at() const { return resize ? microseconds(resize->at_us) : never; }

  /// Of the table that takes its place.
  CountedTableParameters of_replacement() const {
    CountedTableParameters out = *this;
    out.buckets = resize.value().buckets;
    out.resize.reset();
    return out;
  }
};

/// struct futex_private_hash: a line of its own fields, then the buckets.
class CountedTable : public FutexTable {
 public:
  CountedTable(CountedTableParameters parameters, const TableContext& context)
      : parameters_(std::move(parameters)),
        context_(context),
        header_(context.hardware.memory().allocate(
            homes_of(parameters_, context, header_bytes(context))(0))),
        table_(private_table(parameters_, context, header_bytes(context))) {}

  HashBucket& bucket(std::uint32_t hash) override { return table_.at_hash(hash); }
  unsigned hash_bits() const override { return bits_of(table_); }

 protected:
  const CountedTableParameters& parameters() const { return parameters_; }
  const TableContext& context() const { return context_; }
  CacheLine& header() { return header_; }

 private:
  CountedTableParameters parameters_;
  TableContext context_;
  CacheLine& header_;
  HashTable table_;
};

template <class Table>
class CountedPolicy final : public PolicyOf<Table, TableScope::process, CountedTableParameters> {
 public:
  using PolicyOf<Table, TableScope::process, CountedTableParameters>::PolicyOf;
  bool resizes() const override { return this->parameters().resize.has_value(); }

  static std::unique_ptr<TablePolicy> make(const CountedTableParameters& parameters) {
    return std::make_unique<CountedPolicy>(parameters);
  }
};

}  // namespace futexsim
