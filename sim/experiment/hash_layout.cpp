#include "futexsim/experiment/hash_layout.hpp"

#include <charconv>
#include <functional>

#include "futexsim/kernel/mm.hpp"
#include "futexsim/parts/input_error.hpp"
#include "futexsim/parts/text_file.hpp"
#include "futexsim/workload/futex_arrays.hpp"

namespace futexsim {
namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::uint64_t user_space = std::uint64_t{1} << 56;  // five levels of page tables

constexpr const char* allowed_address =
    "a hexadecimal address below 2^56 that is a multiple of 4, such as 0x7f12345670a4";

std::optional<std::uint64_t> futex_address(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t address = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, address, 16);
  if (error != std::errc{} || rest != end) return std::nullopt;
  if (address % word_bytes != 0 || address >= user_space) return std::nullopt;
  return address;
}

void check_number(std::int64_t futexes, const std::string& source) {
  if (futexes <= HashLayout::most_futexes) return;
  throw InputError({.source = source}, std::to_string(futexes) + " futexes",
                   "at most " + std::to_string(HashLayout::most_futexes));
}

HashLayout perf_arrays(const HashLayoutOptions& options) {
  const std::int64_t threads = options.threads.value_or(128);
  const std::int64_t futexes = options.futexes.value_or(1024);
  check_number(threads * futexes, "--threads, --futexes");
  HashLayout out{.description = std::to_string(threads) + " threads of " + std::to_string(futexes) +
                                " futexes each, where glibc's malloc puts them",
                 .keys = {}};
  RandomStream random(options.seed, "heap");
  const Mm mm(0, NodeId{0}, random);
  const FutexArrays arrays(mm, static_cast<std::uint32_t>(threads),
                           static_cast<std::uint32_t>(futexes), random);
  out.keys.reserve(static_cast<std::size_t>(threads * futexes));
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    for (std::uint32_t futex = 0; futex < futexes; ++futex) {
      out.keys.push_back(mm.private_key(arrays.address(thread, futex)));
    }
  }
  return out;
}

HashLayout equal_strides(const HashLayoutOptions& options, const Mm& mm) {
  if (!options.count) throw InputError({.source = "--stride"}, "no --count", "it with --count N");
  const std::string base_text = options.base.value_or("0x0");
  const std::optional<std::uint64_t> base = futex_address(base_text);
  if (!base) throw InputError({.source = "--base"}, in_quotes(base_text), allowed_address);
  check_number(*options.count, "--count");
  const auto stride = static_cast<std::uint64_t>(*options.stride);
  const auto count = static_cast<std::uint64_t>(*options.count);
  if (stride % word_bytes != 0) {
    throw InputError({.source = "--stride"}, in_quotes(std::to_string(stride)), "a multiple of 4");
  }
  if ((user_space - *base) / stride < count) {
    throw InputError({.source = "--stride"}, "addresses of 2^56 and more",
                     "a base, stride and count that stay in user space");
  }
  HashLayout out{.description = std::to_string(count) + " futexes, one every " +
                                std::to_string(stride) + " bytes from " + base_text,
                 .keys = {}};
  for (std::uint64_t i = 0; i < count; ++i) out.keys.push_back(mm.private_key(*base + i * stride));
  return out;
}

HashLayout of_file(const std::string& path, const Mm& mm) {
  const std::string text = read_text_file(path);
  HashLayout out{.description = {}, .keys = {}};
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::optional<std::uint64_t> address = futex_address(line);
    if (!address) {
      throw InputError({.source = path, .line = number, .column = 1}, in_quotes(line),
                       allowed_address);
    }
    out.keys.push_back(mm.private_key(*address));
  }
  if (out.keys.empty()) throw InputError({.source = path}, "no address", "one a line");
  check_number(static_cast<std::int64_t>(out.keys.size()), path);
  out.description = std::to_string(out.keys.size()) + " futexes of " + in_quotes(path);
  return out;
}

/// Refuses an option that belongs to another kind of layout than `kind`.
void check_kind(const HashLayoutOptions& options, const std::string& kind) {
  const auto refuse = [&](bool given, const char* option, const char* belongs_to) {
    if (!given || kind == belongs_to) return;
    const std::string beside = kind.empty() ? " without --stride" : " beside " + kind;
    throw InputError({.source = option}, std::string("it") + beside,
                     "one of three layouts: -t and -f; --stride, --count and --base; --keys");
  };
  refuse(options.stride.has_value(), "--stride", "--stride");
  refuse(options.count.has_value(), "--count", "--stride");
  refuse(options.base.has_value(), "--base", "--stride");
  refuse(options.threads.has_value(), "--threads", "");
  refuse(options.futexes.has_value(), "--futexes", "");
}

}  // namespace

HashLayout HashLayout::read(const HashLayoutOptions& options) {
  check_kind(options, options.keys ? "--keys" : options.stride ? "--stride" : "");
  if (!options.keys && !options.stride) return perf_arrays(options);
  RandomStream random(options.seed, "heap");
  const Mm mm(0, NodeId{0}, random);
  return options.keys ? of_file(*options.keys, mm) : equal_strides(options, mm);
}

}  // namespace futexsim
