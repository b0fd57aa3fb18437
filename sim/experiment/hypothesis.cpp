#include "futexsim/experiment/hypothesis.hpp"

namespace futexsim {

const Declaration<Hypothesis>& Hypothesis::declaration() {
  using P = Hypothesis;
  static const auto declaration =
      Declaration<P>("hypothesis", "a conjectured cause, as changes to machines and kernels")
          .required("name", &P::name, {.help = "as validate --hypothesis names it"})
          .required("description", &P::description,
                    {.help = "what it conjectures, what speaks for it and what against"})
          .optional("machines", &P::machines,
                    {.help = "by name: values by JSON pointer into the machine's file"})
          .optional("kernels", &P::kernels,
                    {.help = "by name: values by JSON pointer into the kernel's file"})
          .check([](const P& hypothesis, const Cursor& at) {
            if (hypothesis.machines.empty() && hypothesis.kernels.empty()) {
              at.refuse("\"machines\" or \"kernels\" with what changes");
            }
          });
  return declaration;
}

}  // namespace futexsim
