#include "command_line.hpp"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/parts/input_error.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "output.hpp"

namespace futexsim::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* positional_key = "arguments without a dash";

/// "run CONFIG [options]": the words before the first that isn't a command's name.
std::string command_of(const std::string& usage) {
  std::string out;
  std::istringstream words(usage);
  for (std::string word; words >> word && std::islower(static_cast<unsigned char>(word[0])) != 0;) {
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

InputError refusal(const std::string& option, const std::string& text, const std::string& allowed,
                   const std::string& suggestion = {}) {
  return {{.source = "--" + option}, in_quotes(text), allowed, suggestion};
}

}  // namespace

CommandLine::CommandLine(std::string usage, std::string help)
    : usage_(std::move(usage)), help_(std::move(help)) {
  flag("help,h", "this text");
}

CommandLine& CommandLine::flag(const std::string& names, const std::string& help) {
  described_.add_options()(names.c_str(), help.c_str());
  names_.push_back("--" + names.substr(0, names.find(',')));
  return *this;
}

CommandLine& CommandLine::option(const std::string& names, const std::string& value,
                                 const std::string& help) {
  described_.add_options()(names.c_str(), po::value<std::string>()->value_name(value),
                           help.c_str());
  names_.push_back("--" + names.substr(0, names.find(',')));
  return *this;
}

CommandLine& CommandLine::options(const std::string& names, const std::string& value,
                                  const std::string& help) {
  described_.add_options()(names.c_str(),
                           po::value<std::vector<std::string>>()->composing()->value_name(value),
                           help.c_str());
  names_.push_back("--" + names.substr(0, names.find(',')));
  return *this;
}

CommandLine& CommandLine::positional(const std::string& name, std::size_t least, std::size_t most) {
  positional_name_ = name;
  least_ = least;
  most_ = most;
  return *this;
}

std::string CommandLine::help() const {
  std::ostringstream out;
  out << "usage: futexsim " << usage_ << "\n\n" << help_ << "\n\n" << described_;
  return out.str();
}

ParsedLine::ParsedLine(const CommandLine& line, const Arguments& arguments) {
  const std::string command = command_of(line.usage());
  const auto refuse = [&](const std::string& found, const std::string& allowed,
                          const std::string& suggestion = {}) {
    return InputError({.source = command}, found, allowed, suggestion);
  };
  po::options_description all = line.described_;
  all.add_options()(positional_key, po::value<std::vector<std::string>>());
  po::positional_options_description positions;
  positions.add(positional_key, -1);
  namespace style = po::command_line_style;
  try {
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(positions)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              values_);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    throw refuse("the unknown option " + in_quotes(name), listed(line.names_),
                 nearest_name(name, line.names_));
  } catch (const po::multiple_occurrences& error) {
    throw refuse(error.get_option_name() + " a second time", "it once");
  } catch (const po::invalid_command_line_syntax& error) {
    const bool extra = error.kind() == po::invalid_syntax::extra_parameter;
    throw refuse(error.get_option_name() + (extra ? " with a value" : " without a value"),
                 extra ? "it without one" : "it with one");
  } catch (const po::error& error) {
    throw refuse(in_quotes(error.what(), 200), "the options that --help shows");
  }
  positional_ = texts(positional_key);
  if (wants_help()) return;
  if (positional_.size() < line.least_) {
    throw refuse("no " + line.positional_name_, "futexsim " + line.usage());
  }
  if (positional_.size() > line.most_) {
    throw refuse("the argument " + in_quotes(positional_[line.most_]), "futexsim " + line.usage());
  }
}

std::optional<std::string> ParsedLine::text(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return values_[name].as<std::string>();
}

std::string ParsedLine::text_or(const std::string& name, const std::string& otherwise) const {
  return text(name).value_or(otherwise);
}

std::vector<std::string> ParsedLine::texts(const std::string& name) const {
  if (!has(name)) return {};
  return values_[name].as<std::vector<std::string>>();
}

std::optional<std::int64_t> ParsedLine::integer(const std::string& name, std::int64_t least,
                                                std::int64_t most) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const auto value = parse<std::int64_t>(*given);
  if (value && least <= *value && *value <= most) return value;
  throw refusal(name, *given,
                "an integer from " + std::to_string(least) + " to " + std::to_string(most));
}

std::optional<std::uint64_t> ParsedLine::seed() const {
  const std::optional<std::string> given = text("seed");
  if (!given) return std::nullopt;
  if (const auto value = parse<std::uint64_t>(*given)) return value;
  throw refusal(
      "seed", *given,
      "an integer from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
}

std::optional<double> ParsedLine::precision() const {
  const std::optional<std::string> given = text("precision");
  if (!given) return std::nullopt;
  const auto value = parse<double>(*given);
  if (value && *value >= 1e-4 && *value <= 1) return value;
  throw refusal("precision", *given, "a fraction from 0.0001 to 1, such as 0.01 for 1 %");
}

unsigned ParsedLine::jobs() const {
  const auto jobs = integer("jobs", 1, 1024);
  return jobs ? static_cast<unsigned>(*jobs) : default_jobs();
}

std::string ParsedLine::choice(const std::string& name,
                               const std::vector<std::string>& allowed) const {
  std::string given = text_or(name, allowed.front());
  if (std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return given;
  throw refusal(name, given, listed(allowed), nearest_name(given, allowed));
}

int print_help(const CommandLine& line) {
  Output().write(line.help());
  return done;
}

}  // namespace futexsim::cli
