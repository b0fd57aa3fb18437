#include "futexsim/experiment/hash_layout.hpp"

#include <doctest/doctest.h>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

TEST_CASE("perf's futexes lie where a simulation of the same seed has them") {
  const HashLayout layout = HashLayout::read({.threads = 5, .futexes = 1024, .seed = 7});
  REQUIRE(layout.keys.size() == 5 * 1024);
  FutexHashLab lab(TestMachine{}.cores_per_node(5), TestKernel{}, 5, 7);
  for (std::uint32_t thread = 0; thread < 5; ++thread) {
    for (std::uint32_t futex = 0; futex < 1024; ++futex) {
      const FutexKey& found = layout.keys[thread * 1024 + futex];
      const FutexKey expected = lab.key(thread, futex);
      CHECK(found.mm == expected.mm);
      CHECK(found.page == expected.page);
      CHECK(found.offset == expected.offset);
    }
  }
}

TEST_CASE("equal strides begin at the base, which is hexadecimal") {
  const HashLayout layout = HashLayout::read({.stride = 0x804, .count = 3, .base = "0x1ffc"});
  REQUIRE(layout.keys.size() == 3);
  CHECK(layout.keys[0].page == 0x1000);
  CHECK(layout.keys[0].offset == 0xffc);
  CHECK(layout.keys[1].page == 0x2000);
  CHECK(layout.keys[1].offset == 0x800);
  CHECK(layout.keys[2].page == 0x3000);
  CHECK(layout.keys[2].offset == 0x004);
  CHECK(layout.description == "3 futexes, one every 2052 bytes from 0x1ffc");
}
