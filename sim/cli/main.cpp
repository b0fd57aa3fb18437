#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "command.hpp"
#include "futexsim/experiment/version.hpp"
#include "futexsim/parts/input_error.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "output.hpp"

namespace futexsim::cli {
namespace {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "one point: operations per second, confidence, where the time went", run},
      {"sweep", "every point of a config's sweep, as JSON Lines", sweep},
      {"validate", "published tables and what the simulator makes of them, side by side", validate},
      {"calibrate", "a machine's numbers chosen so that published tables come out", calibrate},
      {"bench", "perf bench futex on a simulated machine: hash, wake, requeue and others", bench},
      {"hash", "how evenly hash functions spread futexes, and what they cost", hash},
      {"list", "what configs can name, with parameters", list},
      {"machine", "a machine's numbers and where they come from", machine},
      {"schema", "the JSON Schema of a kind of config", schema},
  };
  return all;
}

std::string help() {
  std::string out =
      "usage: futexsim COMMAND [arguments]\n\n"
      "Simulates futex hash contention on modelled NUMA machines.\n\n";
  for (const Command& command : commands()) {
    out +=
        "  " + command.name + std::string(11 - command.name.size(), ' ') + command.summary + "\n";
  }
  return out +
         "\nfutexsim COMMAND --help says more; futexsim --version names the source.\n"
         "Exit status: 0 done, 1 a comparison failed, 2 bad input, 130 interrupted.\n";
}

int dispatch(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  if (arguments.empty()) {
    throw InputError({.source = "command line"}, "no command", listed(names) + ", --help");
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    Output().write(help());
    return done;
  }
  if (name == "--version") {
    Output().write("futexsim " + version() + "\n");
    return done;
  }
  for (const Command& command : commands()) {
    if (command.name == name) return command.run({arguments.begin() + 1, arguments.end()});
  }
  throw InputError({.source = "command line"}, "the command " + in_quotes(name),
                   listed(names) + ", --help, --version", nearest_name(name, names));
}

int fail(int status, const char* message) {
  std::fprintf(stderr, "futexsim: %s\n", message);
  return status;
}

/// Every end of the program: one line on standard error for whatever goes wrong.
int guarded(const Arguments& arguments) {
  try {
    return dispatch(arguments);
  } catch (const OutputClosed&) {
    return done;
  } catch (const InputError& error) {
    return fail(bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(bad_input, "out of memory: the machine or the workload is too large for this host");
  } catch (const std::exception& error) {
    return fail(internal_error, ("internal error: " + one_line(error.what())).c_str());
  }
}

}  // namespace
}  // namespace futexsim::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return futexsim::cli::guarded({argv + 1, argv + argc});
}
