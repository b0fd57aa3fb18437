#include "futexsim/parts/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "futexsim/parts/nearest_name.hpp"
#include "futexsim/parts/text_file.hpp"

namespace futexsim {

/// Reads record after record; the position is that of the next character.
class CsvReader {
 public:
  CsvReader(std::string_view text, CsvTable& table) : text_(text), table_(table) {}

  void read() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    refuse_bytes_that_are_no_text();
    const std::size_t last = text_.find_last_not_of("\r\n");
    const std::size_t end = last == std::string_view::npos ? 0 : last + 1;
    if (end == 0) throw InputError({table_.source_, 1, 1}, "an empty table", "a line of columns");
    take_header(record());
    while (at_ < end) {
      CsvTable::Record fields = record();
      check_width(fields);
      table_.records_.push_back(std::move(fields));
    }
  }

 private:
  void refuse_bytes_that_are_no_text() {
    const std::size_t bad = std::min(text_.find('\0'), broken_utf8_at(text_));
    if (bad == std::string_view::npos) return;
    while (at_ < bad) advance();
    throw error(text_[bad] == '\0' ? "a NUL byte" : "a byte that isn't UTF-8", "UTF-8 text");
  }

  void take_header(const CsvTable::Record& fields) {
    for (const CsvTable::Field& field : fields) {
      const Location here{table_.source_, field.line, field.column};
      if (field.text.empty()) throw InputError(here, "a column without a name", "a name");
      if (table_.has_column(field.text)) {
        throw InputError(here, "the column " + in_quotes(field.text) + " a second time",
                         "each column once");
      }
      table_.columns_.push_back(field.text);
    }
  }

  void check_width(const CsvTable::Record& fields) const {
    const std::size_t width = table_.columns_.size();
    if (fields.size() == width) return;
    // Point at the first field too many, or at the last that is there.
    const CsvTable::Field& at = fields[std::min(width, fields.size() - 1)];
    const bool blank = fields.size() == 1 && fields[0].text.empty();
    throw InputError({table_.source_, at.line, at.column},
                     blank ? "an empty line" : std::to_string(fields.size()) + " fields",
                     std::to_string(width) + " fields, as in the header");
  }

  CsvTable::Record record() {
    CsvTable::Record fields;
    while (true) {
      fields.push_back(peek() == '"' ? quoted_field() : bare_field());
      if (peek() == ',') {
        advance();
      } else {
        end_line();
        return fields;
      }
    }
  }

  CsvTable::Field bare_field() {
    CsvTable::Field field{{}, line_, column_};
    while (at_ < text_.size() && peek() != ',' && peek() != '\n' && peek() != '\r') {
      if (peek() == '"') {
        throw error("a quote inside a field", "quotes around the whole field, inner ones doubled");
      }
      field.text += advance();
    }
    return field;
  }

  CsvTable::Field quoted_field() {
    CsvTable::Field field{{}, line_, column_};
    advance();
    while (true) {
      if (at_ == text_.size()) {
        throw InputError({table_.source_, field.line, field.column}, "a quote that is never closed",
                         "a closing quote");
      }
      const char c = advance();
      if (c != '"') {
        field.text += c;
      } else if (peek() == '"') {
        field.text += advance();
      } else {
        break;
      }
    }
    if (at_ < text_.size() && peek() != ',' && peek() != '\n' && peek() != '\r') {
      throw error("text after a closing quote", "a comma or the end of the line");
    }
    return field;
  }

  void end_line() {
    if (at_ == text_.size()) return;
    if (peek() == '\r') {
      advance();
      if (peek() != '\n') throw error("a carriage return alone", "lines that end in LF or CRLF");
    }
    advance();
  }

  /// The next character; NUL, which the text can't hold, at its end.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  char advance() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (at_ == text_.size() || (static_cast<unsigned char>(text_[at_]) & 0xc0U) != 0x80U) {
      ++column_;
    }
    return c;
  }

  InputError error(std::string_view found, std::string_view allowed) const {
    return {{table_.source_, line_, column_}, found, allowed};
  }

  std::string_view text_;
  CsvTable& table_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
};

CsvTable CsvTable::read(const std::string& path) {
  return parse(read_text_file(path), path);
}

CsvTable CsvTable::parse(std::string_view text, const std::string& source) {
  CsvTable table(source);
  CsvReader(text, table).read();
  return table;
}

bool CsvTable::has_column(std::string_view name) const {
  return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
}

void CsvTable::require_columns(const std::vector<std::string>& names) const {
  for (const std::string& name : names) index_of(name);
}

std::vector<CsvTable::Row> CsvTable::rows() const {
  std::vector<Row> out;
  for (std::size_t i = 0; i < size(); ++i) out.push_back(row(i));
  return out;
}

std::size_t CsvTable::index_of(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  const std::string nearest = nearest_name(column, columns_);
  throw InputError(
      {source_, 1, 1},
      "no column " + in_quotes(column) + (nearest.empty() ? "" : ", but " + in_quotes(nearest)),
      "a header with " + in_quotes(column));
}

const CsvTable::Field& CsvTable::field(std::size_t row, std::string_view column) const {
  return records_.at(row)[index_of(column)];
}

const std::string& CsvTable::Row::text(std::string_view column) const {
  return table_->field(index_, column).text;
}

double CsvTable::Row::number(std::string_view column) const {
  const std::string& digits = text(column);
  double value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  if (!whole || !std::isfinite(value)) throw error(column, "a number");
  return value;
}

std::int64_t CsvTable::Row::integer(std::string_view column) const {
  const std::string& digits = text(column);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  if (!whole) throw error(column, "an integer");
  return value;
}

std::optional<double> CsvTable::Row::optional_number(std::string_view column) const {
  if (empty(column)) return std::nullopt;
  return number(column);
}

std::optional<std::int64_t> CsvTable::Row::optional_integer(std::string_view column) const {
  if (empty(column)) return std::nullopt;
  return integer(column);
}

Location CsvTable::Row::location() const {
  const Field& first = table_->records_.at(index_).front();
  return {table_->source_, first.line, first.column};
}

Location CsvTable::Row::location(std::string_view column) const {
  const Field& field = table_->field(index_, column);
  return {table_->source_, field.line, field.column};
}

InputError CsvTable::Row::error(std::string_view column, std::string_view allowed,
                                std::string_view suggestion) const {
  return {location(column), in_quotes(text(column)) + " in column " + in_quotes(column), allowed,
          suggestion};
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace futexsim
