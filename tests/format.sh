#!/bin/sh
# format.sh CLANG_FORMAT OPTION...: runs it on every source. Other major versions format
# differently, so they are skipped (77) rather than believed.
set -eu
clang_format=$1
shift
case $("$clang_format" --version) in
  *' version 14.'*) ;;
  *) echo "skipped: needs clang-format 14, found $("$clang_format" --version)"; exit 77 ;;
esac
find include models sim tests \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -r "$clang_format" "$@"
