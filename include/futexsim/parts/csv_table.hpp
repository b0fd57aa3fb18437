#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futexsim/parts/input_error.hpp"

namespace futexsim {

/// A CSV file as in RFC 4180, with a header: quoted fields may hold commas, line breaks and
/// doubled quotes; lines end in LF or CRLF. InputError with line and column for a ragged row, a
/// column twice or without a name, a stray quote or carriage return, NUL and broken UTF-8. Empty
/// lines are refused except at the end.
class CsvTable {
 public:
  /// Reads as a value; refers to its table, which must outlive it. A column that the table
  /// lacks is an InputError with the nearest name.
  class Row {
   public:
    const std::string& text(std::string_view column) const;
    bool empty(std::string_view column) const { return text(column).empty(); }
    /// A finite number in decimal notation, or an integer of 64 bits; InputError otherwise.
    double number(std::string_view column) const;
    std::int64_t integer(std::string_view column) const;
    /// nullopt for an empty field.
    std::optional<double> optional_number(std::string_view column) const;
    std::optional<std::int64_t> optional_integer(std::string_view column) const;

    /// Of the row's first field, or of a column's field.
    Location location() const;
    Location location(std::string_view column) const;
    /// An error at the field; says what was found there.
    InputError error(std::string_view column, std::string_view allowed,
                     std::string_view suggestion = {}) const;

   private:
    friend class CsvTable;
    Row(const CsvTable& table, std::size_t index) : table_(&table), index_(index) {}
    const CsvTable* table_;
    std::size_t index_;
  };

  static CsvTable read(const std::string& path);
  static CsvTable parse(std::string_view text, const std::string& source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_column(std::string_view name) const;
  /// InputError that names the first of `names` that the table lacks.
  void require_columns(const std::vector<std::string>& names) const;

  std::size_t size() const { return records_.size(); }
  /// Requires index < size().
  Row row(std::size_t index) const { return {*this, index}; }
  std::vector<Row> rows() const;

 private:
  friend class CsvReader;
  struct Field {
    std::string text;
    std::size_t line;
    std::size_t column;
  };
  using Record = std::vector<Field>;

  explicit CsvTable(std::string source) : source_(std::move(source)) {}
  std::size_t index_of(std::string_view column) const;
  const Field& field(std::size_t row, std::string_view column) const;

  std::string source_;
  std::vector<std::string> columns_;
  std::vector<Record> records_;
};

/// `text` as a field of a CSV line, quoted if it has to be.
std::string csv_field(std::string_view text);

}  // namespace futexsim
