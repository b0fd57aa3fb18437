#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/quantity.hpp"
#include "futexsim/parts/registry.hpp"
#include "protocol_paths.hpp"

namespace futexsim {
namespace {

struct MoesiParameters {
  Quantity memory_access;
  Quantity upgrade;

  static const Declaration<MoesiParameters>& declaration() {
    static const auto declaration =
        Declaration<MoesiParameters>("moesi", "AMD's MOESI with a probe filter at the home")
            .required("memory_access", &MoesiParameters::memory_access,
                      {.unit = "ns",
                       .help = "read of an uncached line from local memory",
                       .min = 0,
                       .max = 1e6})
            .required("upgrade", &MoesiParameters::upgrade,
                      {.unit = "1",
                       .help = "invalidation of other copies by a sharer, as a part of a transfer",
                       .min = 0,
                       .max = 1});
    return declaration;
  }
};

/// MOESI: within a CCX the L3's shadow tags serve a request; everything else goes through the
/// probe filter at the line's home, so even neighbours pay two crossings for a remote home. A
/// dirty line may be shared (O) without a write-back; its owner goes on answering.
class Moesi final : public CoherenceProtocol {
 public:
  Moesi(const MoesiParameters& parameters, const Topology& topology)
      : paths_(topology),
        memory_access_{parameters.memory_access.scaled(1000)},
        upgrade_per_mille_(parameters.upgrade.scaled(1000)) {}

  Transfer transfer(const LineRequest& request, Picoseconds /*now*/) override {
    return serve(request, paths_, memory_access_, upgrade_per_mille_, [&](CoreId holder) {
      const Topology& topology = paths_.topology();
      return topology.l3_of(holder) == topology.l3_of(request.core)
                 ? paths_.direct(request.core, holder)
                 : paths_.through_home(request.core, holder, request.line->home);
    });
  }

  CoreId responder_after_read(const CacheLine& line, CoreId) const override {
    return line.responder;
  }

 private:
  ProtocolPaths paths_;
  Picoseconds memory_access_;
  std::int64_t upgrade_per_mille_;
};

const Register<CoherenceProtocol, const Topology&> moesi{
    MoesiParameters::declaration(),
    [](const MoesiParameters& parameters, const Topology& topology) {
      return std::make_unique<Moesi>(parameters, topology);
    }};

}  // namespace
}  // namespace futexsim
