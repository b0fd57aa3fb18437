#include "futexsim/parts/nearest_name.hpp"

#include <algorithm>
#include <cctype>

#include "futexsim/parts/input_error.hpp"

namespace futexsim {
namespace {

/// No name of the model is longer; hostile words aren't worth a quadratic table.
constexpr std::size_t longest_word = 64;

char folded(char letter) {
  if (letter == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Optimal string alignment, the restricted Damerau-Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  const auto same = [&](std::size_t i, std::size_t j) { return folded(a[i]) == folded(b[j]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = d[i - 1][j - 1] + (same(i - 1, j - 1) ? 0U : 1U);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string* nearest = nullptr;
  std::size_t least = longest_word;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::size_t close = std::max<std::size_t>(std::max(word.size(), candidate.size()) / 3, 1);
    const std::size_t changes = distance(word, candidate);
    if (changes <= close && changes < std::min(candidate.size(), least)) {
      nearest = &candidate;
      least = changes;
    }
  }
  return nearest == nullptr ? std::string() : *nearest;
}

std::string listed(std::span<const std::string> names, std::size_t limit) {
  if (names.empty()) return "nothing";
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += ", ";
    if (i == limit) return out + "...";
    out += in_quotes(names[i]);
  }
  return out;
}

}  // namespace futexsim
