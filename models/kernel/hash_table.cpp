#include "futexsim/kernel/hash_table.hpp"

#include <optional>
#include <string>

namespace futexsim {
namespace {

constexpr std::uint32_t word_bytes = 4;

}  // namespace

const Declaration<BucketLayout>& BucketLayout::declaration() {
  using P = BucketLayout;
  static const auto declaration =
      Declaration<P>("bucket", "struct futex_hash_bucket in bytes")
          .optional("bytes", &P::bytes,
                    {.unit = "bytes", .help = "size without alignment", .min = 8, .max = 4096})
          .optional("cacheline_aligned", &P::cacheline_aligned,
                    {.help = "each bucket begins a line of its own"})
          .optional("waiters_offset", &P::waiters_offset,
                    {.unit = "bytes",
                     .help = "of the counter of waiters; absent where there is none",
                     .max = 4092})
          .required("lock_offset", &P::lock_offset,
                    {.unit = "bytes", .help = "of the spinlock", .max = 4092})
          .optional("priv_offset", &P::priv_offset,
                    {.unit = "bytes",
                     .help = "of the pointer to the table; absent where there is none",
                     .max = 4092})
          .optional("chain_offset", &P::chain_offset,
                    {.unit = "bytes",
                     .help = "of the list of waiters; absent: on the spinlock's line",
                     .max = 4092})
          .check([](const P& layout, const Cursor& at) {
            const auto check = [&](const char* name, std::optional<std::uint32_t> offset) {
              if (!offset || (*offset % word_bytes == 0 && *offset + word_bytes <= layout.bytes)) {
                return;
              }
              at.at(name).refuse("a multiple of 4 inside the bucket's " +
                                 std::to_string(layout.bytes) + " bytes");
            };
            check("waiters_offset", layout.waiters_offset);
            check("lock_offset", layout.lock_offset);
            check("priv_offset", layout.priv_offset);
            check("chain_offset", layout.chain_offset);
          });
  return declaration;
}

std::uint32_t bucket_stride(const BucketLayout& layout, std::uint32_t line_bytes) {
  if (!layout.cacheline_aligned) return layout.bytes;
  return (layout.bytes + line_bytes - 1) / line_bytes * line_bytes;
}

HashTable::HashTable(MemorySystem& memory, std::uint32_t buckets, const BucketLayout& layout,
                     const std::function<NodeId(std::uint64_t offset)>& home_of)
    : buckets_(buckets) {
  const std::uint32_t line_bytes = memory.timing().line_bytes;
  const std::uint64_t stride = bucket_stride(layout, line_bytes);
  std::vector<CacheLine*> lines;
  for (std::uint64_t offset = 0; offset < buckets * stride; offset += line_bytes) {
    lines.push_back(&memory.allocate(home_of(offset)));
  }
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const auto word_at = [&](std::optional<std::uint32_t> offset) {
      return offset ? Word{.line = lines[(i * stride + *offset) / line_bytes]} : Word{};
    };
    buckets_[i] = {.waiters = word_at(layout.waiters_offset),
                   .lock = word_at(layout.lock_offset),
                   .priv = word_at(layout.priv_offset),
                   .chain = word_at(layout.chain_offset.value_or(layout.lock_offset))};
  }
}

}  // namespace futexsim
