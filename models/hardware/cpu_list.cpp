#include "futexsim/hardware/cpu_list.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace futexsim {
namespace {

constexpr std::uint32_t largest_cpu = 8191;  // NR_CPUS of x86-64 is at most 8192

std::uint32_t take_number(std::string_view& text, std::string_view whole) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number > largest_cpu) {
    throw std::invalid_argument("not a CPU list such as 0-7,16-23: \"" + std::string(whole) + "\"");
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::vector<CpuId> parse_cpu_list(std::string_view text) {
  const std::string_view whole = text;
  std::vector<CpuId> cpus;
  do {
    const std::uint32_t first = take_number(text, whole);
    const std::uint32_t last = take(text, '-') ? take_number(text, whole) : first;
    const std::uint32_t stride = take(text, ':') ? take_number(text, whole) : 1;
    if (last < first || stride == 0) {
      throw std::invalid_argument("an empty range in CPU list \"" + std::string(whole) + "\"");
    }
    for (std::uint32_t cpu = first; cpu <= last; cpu += stride) cpus.push_back({cpu});
  } while (take(text, ','));
  if (!text.empty()) {
    throw std::invalid_argument("not a CPU list such as 0-7,16-23: \"" + std::string(whole) + "\"");
  }
  return cpus;
}

std::string format_cpu_list(std::vector<CpuId> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end].value == cpus[end - 1].value + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i].value);
    if (end - i > 1) text += '-' + std::to_string(cpus[end - 1].value);
    i = end;
  }
  return text;
}

}  // namespace futexsim
