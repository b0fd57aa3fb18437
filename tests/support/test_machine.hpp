#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/hardware/machine.hpp"
#include "futexsim/parts/cursor.hpp"

namespace futexsim {

/// A machine that a test states in one line. Latencies are in nanoseconds and
/// round, so that expectations add up by hand; hits are free and the hold
/// window is shut unless told otherwise.
///
/// CPUs are numbered as on a server: cores first, node by node, then their
/// siblings in the same order. A clock of 1 GHz makes a cycle a nanosecond.
class TestMachine {
 public:
  TestMachine& nodes(std::uint32_t count) { return nodes_ = count, *this; }
  TestMachine& cores_per_node(std::uint32_t count) { return cores_per_node_ = count, *this; }
  TestMachine& l3_groups_per_node(std::uint32_t count) { return l3_per_node_ = count, *this; }
  TestMachine& threads_per_core(std::uint32_t count) { return threads_per_core_ = count, *this; }
  /// A sibling's speed while one other thread of its core computes.
  TestMachine& smt_speed(double factor) { return smt_speed_ = factor, *this; }

  TestMachine& same_core(double ns) { return same_core_ = ns, *this; }
  TestMachine& same_l3(double ns) { return same_l3_ = ns, *this; }
  TestMachine& other_l3(double ns) { return other_l3_ = ns, *this; }
  /// One way of the links between all pairs of nodes, unless `link` names them
  /// one by one.
  TestMachine& crossing(double ns) { return crossing_ = ns, *this; }
  TestMachine& link(std::uint32_t a, std::uint32_t b, double one_way_ns) {
    links_.push_back(link_between(a, b, one_way_ns));
    return *this;
  }
  TestMachine& memory_access(double ns) { return memory_access_ = ns, *this; }
  TestMachine& hold_window(double ns) { return hold_window_ = ns, *this; }
  TestMachine& line_bytes(std::uint32_t bytes) { return line_bytes_ = bytes, *this; }

  TestMachine& source_snoop() { return protocol_ = "mesif", snoop_ = "source", *this; }
  TestMachine& home_snoop() { return protocol_ = "mesif", snoop_ = "home", *this; }
  TestMachine& directory_cache(std::uint32_t lines, double miss_ns) {
    return directory_lines_ = lines, directory_miss_ = miss_ns, *this;
  }
  TestMachine& home_service(double ns) { return home_service_ = ns, *this; }
  TestMachine& read_interval(double ns) { return read_interval_ = ns, *this; }
  TestMachine& moesi() { return protocol_ = "moesi", *this; }
  TestMachine& upgrade(double factor) { return upgrade_ = factor, *this; }

  TestMachine& atomic(double ns) { return atomic_ = ns, *this; }
  TestMachine& plain(double ns) { return plain_ = ns, *this; }
  TestMachine& futex_wait(double ns) { return futex_wait_ = ns, *this; }
  TestMachine& critical_section(double ns) { return critical_section_ = ns, *this; }

  TestMachine& get_user_pages(double ns) { return get_user_pages_ = ns, *this; }
  TestMachine& wake_up(double ns) { return wake_up_ = ns, *this; }
  TestMachine& wake_latency(double ns) { return wake_latency_ = ns, *this; }
  TestMachine& context_switch(double ns) { return context_switch_ = ns, *this; }

  std::uint32_t cores() const { return nodes_ * cores_per_node_; }

  nlohmann::json json() const {
    nlohmann::json protocol{{"name", protocol_},
                            {"memory_access", quantity(memory_access_)},
                            {"upgrade", quantity(upgrade_, "1")}};
    if (protocol_ == "mesif") protocol["snoop"] = snoop_;
    if (directory_lines_ > 0) {
      protocol["directory_cache_lines"] = quantity(directory_lines_, "lines");
      protocol["directory_miss"] = quantity(directory_miss_);
    }
    if (home_service_) protocol["home_service"] = quantity(*home_service_);
    if (read_interval_) protocol["read_interval"] = quantity(*read_interval_);
    return {{"name", "test"},
            {"description", "a machine of a test"},
            {"topology",
             {{"source", "a test"},
              {"nodes", cpu_lists(nodes_)},
              {"l3_groups", cpu_lists(nodes_ * l3_per_node_)},
              {"smt_sibling_distance", threads_per_core_ > 1 ? cores() : 0},
              {"links", links_.empty() ? all_links() : links_}}},
            {"protocol", protocol},
            {"memory",
             {{"line_bytes", line_bytes_},
              {"same_core", quantity(same_core_)},
              {"same_l3", quantity(same_l3_)},
              {"other_l3", quantity(other_l3_)},
              {"hold_window", quantity(hold_window_)}}},
            {"clock", quantity(1, "GHz")},
            {"smt_speed", {quantity(smt_speed_, "1")}},
            {"costs", {{"atomic", quantity(atomic_)}, {"plain", quantity(plain_)}}},
            {"paths",
             {{"futex_wait", quantity(futex_wait_)},
              {"critical_section", quantity(critical_section_)},
              {"get_user_pages", quantity(get_user_pages_)},
              {"wake_up", quantity(wake_up_)},
              {"wake_latency", quantity(wake_latency_)},
              {"context_switch", quantity(context_switch_)}}}};
  }

  Document document() const { return Document("test machine", json()); }
  Machine machine() const { return Machine(document().cursor()); }

 private:
  static nlohmann::json quantity(double value, const char* unit = "ns") {
    return {{"value", value}, {"unit", unit}, {"origin", "guess"}, {"source", "a test"}};
  }
  static nlohmann::json link_between(std::uint32_t a, std::uint32_t b, double one_way_ns) {
    const nlohmann::json pair = nlohmann::json::array({a, b});
    return {{"between", nlohmann::json::array({pair})}, {"one_way", quantity(one_way_ns)}};
  }

  nlohmann::json all_links() const {
    nlohmann::json links = nlohmann::json::array();
    for (std::uint32_t a = 0; a < nodes_; ++a) {
      for (std::uint32_t b = a + 1; b < nodes_; ++b) links.push_back(link_between(a, b, crossing_));
    }
    return links;
  }

  /// The cores in `parts` equal groups, each with its siblings.
  nlohmann::json cpu_lists(std::uint32_t parts) const {
    nlohmann::json lists = nlohmann::json::array();
    const std::uint32_t size = cores() / parts;
    for (std::uint32_t part = 0; part < parts; ++part) {
      std::string list;
      for (std::uint32_t thread = 0; thread < threads_per_core_; ++thread) {
        const std::uint32_t first = thread * cores() + part * size;
        list += (thread > 0 ? "," : "") + std::to_string(first) + "-" +
                std::to_string(first + size - 1);
      }
      lists.push_back(list);
    }
    return lists;
  }

  std::uint32_t nodes_ = 1;
  std::uint32_t cores_per_node_ = 2;
  std::uint32_t l3_per_node_ = 1;
  std::uint32_t threads_per_core_ = 1;
  double smt_speed_ = 0.5;
  double same_core_ = 4;
  double same_l3_ = 20;
  double other_l3_ = 50;
  double crossing_ = 40;
  nlohmann::json links_ = nlohmann::json::array();
  double memory_access_ = 100;
  double hold_window_ = 0;
  std::uint32_t line_bytes_ = 64;
  std::string protocol_ = "mesif";
  std::string snoop_ = "source";
  std::uint32_t directory_lines_ = 0;
  double directory_miss_ = 0;
  std::optional<double> home_service_;
  std::optional<double> read_interval_;
  double upgrade_ = 0.5;
  double atomic_ = 0;
  double plain_ = 0;
  double futex_wait_ = 200;
  double critical_section_ = 30;
  double get_user_pages_ = 50;
  double wake_up_ = 300;
  double wake_latency_ = 2000;
  double context_switch_ = 1000;
};

}  // namespace futexsim
