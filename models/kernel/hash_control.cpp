#include "futexsim/kernel/hash_control.hpp"

#include <cerrno>

namespace futexsim {

int HashControl::prctl(int, std::uint64_t, std::uint64_t, std::uint64_t) {
  return -EINVAL;
}
int HashControl::futex_prealloc_hash(std::uint32_t) {
  return -ENOSYS;
}
int HashControl::sysctl(const std::string&, std::uint32_t) {
  return -ENOENT;
}
void HashControl::futex_operation() {}
int HashControl::clone() {
  ++threads_;
  return 0;
}

}  // namespace futexsim
