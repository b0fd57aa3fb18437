#include <algorithm>
#include <utility>

#include "futexsim/hardware/directory_cache.hpp"
#include "futexsim/hardware/memory_banks.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/quantity.hpp"
#include "futexsim/parts/registry.hpp"
#include "protocol_paths.hpp"

namespace futexsim {
namespace {

struct MesifParameters {
  std::string snoop = "source";
  Quantity memory_access;
  Quantity upgrade;
  std::optional<Quantity> directory_cache_lines;
  std::optional<Quantity> directory_miss;
  std::optional<MemoryBanks::Parameters> banks;
  std::optional<Quantity> home_service;
  std::optional<Quantity> read_interval;

  static const Declaration<MesifParameters>& declaration() {
    static const auto declaration =
        Declaration<MesifParameters>("mesif", "Intel's MESIF with an inclusive L3")
            .optional("snoop", &MesifParameters::snoop,
                      {.help = "who asks the other sockets: the requester itself (source), or the "
                               "line's home agent (home)",
                       .allowed = {"source", "home"}})
            .required("memory_access", &MesifParameters::memory_access,
                      {.unit = "ns",
                       .help = "read of an uncached line from local memory",
                       .min = 0,
                       .max = 1e6})
            .required("upgrade", &MesifParameters::upgrade,
                      {.unit = "1",
                       .help = "invalidation of other copies by a sharer, as a part of a transfer",
                       .min = 0,
                       .max = 1})
            .optional("directory_cache_lines", &MesifParameters::directory_cache_lines,
                      {.unit = "lines",
                       .help = "capacity of each node's directory caches (HitME)",
                       .min = 8,
                       .max = 1 << 24})
            .optional("directory_miss", &MesifParameters::directory_miss,
                      {.unit = "ns",
                       .help = "look into the directory in memory, when its cache misses",
                       .min = 0,
                       .max = 1e6})
            .optional("memory_banks", &MesifParameters::banks,
                      {.help = "banks of a node's memory, which a line occupies that is written "
                               "back because another socket reads it modified; absent: they don't "
                               "delay anything"})
            .optional("home_service", &MesifParameters::home_service,
                      {.unit = "ns",
                       .help = "for which a request between sockets keeps the line's home busy; "
                               "absent: homes serve any number at once",
                       .min = 0,
                       .max = 1e6})
            .optional("read_interval", &MesifParameters::read_interval,
                      {.unit = "ns",
                       .help = "how soon after a read of a line the next one is answered; absent: "
                               "once the first has its data",
                       .min = 0,
                       .max = 1e6})
            .check([](const MesifParameters& mesif, const Cursor& at) {
              if (mesif.directory_cache_lines.has_value() != mesif.directory_miss.has_value()) {
                at.refuse("directory_cache_lines and directory_miss together, or neither");
              }
              if (mesif.directory_miss && mesif.snoop != "home") {
                at.at("directory_miss").refuse("a directory only with \"snoop\": \"home\"");
              }
            });
    return declaration;
  }
};

/// MESIF: transfers below one L3 stay there, wherever the line is homed. Between sockets the
/// requester snoops (Sandy Bridge-EP) or the home does (Haswell-EX), which looks up its directory
/// cache and, if that misses, the directory in memory.
class Mesif final : public CoherenceProtocol {
 public:
  Mesif(const MesifParameters& parameters, const Topology& topology)
      : paths_(topology),
        home_snoop_(parameters.snoop == "home"),
        memory_access_{parameters.memory_access.scaled(1000)},
        upgrade_per_mille_(parameters.upgrade.scaled(1000)) {
    if (parameters.read_interval) read_interval_ = {parameters.read_interval->scaled(1000)};
    if (parameters.home_service) {
      home_service_ = {parameters.home_service->scaled(1000)};
      home_free_at_.resize(topology.nodes());
    }
    if (parameters.banks) banks_.assign(topology.nodes(), MemoryBanks(*parameters.banks));
    if (!parameters.directory_miss) return;
    directory_miss_ = {parameters.directory_miss->scaled(1000)};
    const auto lines = static_cast<std::uint32_t>(parameters.directory_cache_lines->scaled(1));
    directories_.assign(topology.nodes(), DirectoryCache(lines / ways * ways, ways));
  }

  Transfer transfer(const LineRequest& request, Picoseconds now) override {
    CacheLine& line = *request.line;
    Transfer transfer =
        serve(request, paths_, memory_access_, upgrade_per_mille_, [&](CoreId holder) {
          const Topology& topology = paths_.topology();
          const bool through_home =
              home_snoop_ && topology.l3_of(holder) != topology.l3_of(request.core);
          return through_home ? paths_.through_home(request.core, holder, line.home)
                              : paths_.direct(request.core, holder);
        });
    if (!between_nodes(transfer.distance)) return transfer;
    if (!directory_knows(line)) transfer.latency += directory_miss_;
    if (!home_free_at_.empty()) transfer.latency += wait_for_home(line.home, now);
    if (!banks_.empty()) write_back(request, transfer, now);
    return transfer;
  }

  /// The newest reader holds the line in F.
  CoreId responder_after_read(const CacheLine&, CoreId reader) const override { return reader; }

  std::optional<Picoseconds> read_interval() const override { return read_interval_; }

  void placed(const CacheLine& line) override { directory_knows(line); }

 private:
  static constexpr std::uint32_t ways = 8;

  static bool between_nodes(Distance distance) {
    return distance == Distance::other_node || distance == Distance::third_party_home;
  }
  bool directory_knows(const CacheLine& line) {
    return directories_.empty() || directories_[line.home.value].touch(line.number);
  }

  /// Until a home that takes requests one after another comes to this one.
  Picoseconds wait_for_home(NodeId home, Picoseconds now) {
    Picoseconds& free_at = home_free_at_[home.value];
    const Picoseconds turn = std::max(now, free_at);
    free_at = turn + home_service_;
    return turn - now;
  }

  /// MESIF has no state for a dirty line that is shared: a read by another socket writes it back,
  /// and the home lets the line go on only when that is done.
  void write_back(const LineRequest& request, Transfer& transfer, Picoseconds now) {
    CacheLine& line = *request.line;
    transfer.latency += std::max(Picoseconds{}, line.in_memory_at - now);
    if (request.access != Access::read || line.state != CacheLine::State::exclusive) return;
    line.in_memory_at = banks_[line.home.value].write(line.number, now + transfer.latency);
  }

  ProtocolPaths paths_;
  bool home_snoop_;
  Picoseconds memory_access_;
  std::int64_t upgrade_per_mille_;
  std::optional<Picoseconds> read_interval_;
  Picoseconds home_service_;
  std::vector<Picoseconds> home_free_at_;  ///< by node; empty: never busy
  Picoseconds directory_miss_;
  std::vector<DirectoryCache> directories_;
  std::vector<MemoryBanks> banks_;  ///< by node; empty: not simulated
};

const Register<CoherenceProtocol, const Topology&> mesif{
    MesifParameters::declaration(),
    [](const MesifParameters& parameters, const Topology& topology) {
      return std::make_unique<Mesif>(parameters, topology);
    }};

}  // namespace
}  // namespace futexsim
