#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace futexsim {

/// The candidate that `word` most likely means, or empty when none is close: at most a third of
/// the longer one's letters differ, counting a changed, missing, extra or swapped letter as one
/// and case as none. The first of equals wins.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// `"a", "b", "c"`, for messages; "nothing" for an empty list, "..." after `limit` names.
std::string listed(std::span<const std::string> names, std::size_t limit = 24);

}  // namespace futexsim
