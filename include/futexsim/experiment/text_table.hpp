#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace futexsim {

/// Text in columns, for people: each as wide as its widest cell, two spaces apart.
class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column. Control characters are escaped, so that a row stays a line.
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `value` with a fixed number of decimals; "-" where it isn't finite.
std::string fixed(double value, int decimals);
/// A fraction as a percentage with one decimal: "12.5 %".
std::string percent(double fraction);
/// Whole, with a comma between thousands: "1,234,567".
std::string grouped(double value);

}  // namespace futexsim
