#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

namespace futexsim::cli {

/// What a command takes. Options hold strings; numbers are read, and refused, by the accessors
/// of ParsedLine.
class CommandLine {
 public:
  /// `usage`: what follows `futexsim `, as in "run CONFIG [options]".
  CommandLine(std::string usage, std::string help);

  /// `names` as in "output,o".
  CommandLine& flag(const std::string& names, const std::string& help);
  CommandLine& option(const std::string& names, const std::string& value, const std::string& help);
  /// May be given several times.
  CommandLine& options(const std::string& names, const std::string& value, const std::string& help);
  /// Arguments without a dash: `least` to `most` of them.
  CommandLine& positional(const std::string& name, std::size_t least, std::size_t most);

  const std::string& usage() const { return usage_; }
  std::string help() const;

 private:
  friend class ParsedLine;
  std::string usage_;
  std::string help_;
  boost::program_options::options_description described_{"options"};
  std::vector<std::string> names_;  ///< "--output", for suggestions
  std::string positional_name_ = "argument";
  std::size_t least_ = 0;
  std::size_t most_ = 0;
};

/// InputError for whatever the command doesn't take. Abbreviations are not guessed.
class ParsedLine {
 public:
  ParsedLine(const CommandLine& line, const Arguments& arguments);

  /// --help was given: print CommandLine::help() and do nothing else.
  bool wants_help() const { return has("help"); }
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  std::optional<std::string> text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& otherwise) const;
  std::vector<std::string> texts(const std::string& name) const;
  const std::vector<std::string>& positional() const { return positional_; }

  std::optional<std::int64_t> integer(const std::string& name, std::int64_t least,
                                      std::int64_t most) const;
  std::optional<std::uint64_t> seed() const;
  std::optional<double> precision() const;
  unsigned jobs() const;
  /// One of `allowed`, the first if not given.
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) const;

 private:
  boost::program_options::variables_map values_;
  std::vector<std::string> positional_;
};

/// On standard output. Returns the exit status.
int print_help(const CommandLine& line);

}  // namespace futexsim::cli
