# Shared by the scripts beside it: paths, progress lines, and quiet steps with a log. It is sourced,
# never run.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# All clones of the project share one cache. It has the unpacked LibTorch (cmake/LibTorch.cmake
# looks in the same place).
cache=${SWEEPD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sweepd}
started=$SECONDS
# Makes paths below the project relative for ccache, so that clones and build folders share.
export CCACHE_BASEDIR=$repo
# Line numbers of sanitizer builds use relative paths, so another clone's objects fit too.
export CCACHE_NOHASHDIR=1

# Prints a progress line with the seconds since the start, on stderr because stdout is for results.
say() { printf '[%3ds] %s\n' $((SECONDS - started)) "$*" >&2; }

die() {
  printf '%s: error: %s\n' "tools/$(basename "$0")" "$*" >&2
  exit 1
}

# Prints the comment at the script's head as help.
show_help() {
  sed -n '2,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0"
  exit 0
}

# install_python NAME PACKAGE...: makes <cache>/NAME, a Python of its own with these packages. Without a network it is left out.
# Only wheels are taken, so no compiler is needed. Of two runs at once the second waits.
install_python() {
  local name=$1 tree=$cache/$1 log=$cache/$1.log stamp
  shift
  stamp=$*
  if [[ -f $tree/.complete && $(<"$tree/.complete") == "$stamp" ]]; then return; fi
  mkdir -p "$cache"
  exec 9>"$tree.lock"
  flock 9
  if [[ -f $tree/.complete && $(<"$tree/.complete") == "$stamp" ]]; then return; fi
  say "installing $stamp into $tree"
  rm -rf "$tree"
  if python3 -m venv "$tree" >"$log" 2>&1 &&
    "$tree/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: "$@" >>"$log" 2>&1; then
    printf '%s' "$stamp" >"$tree/.complete"
  else
    rm -rf "$tree"
    say "could not install them ($(tail -n 1 "$log")); tests that need them are skipped"
  fi
}

# The version of clang-format and clang-tidy whose word counts: each one formats a little differently
# and finds something else. It is that of Debian 12 and Ubuntu 22.04.
llvm_version=14

# find_llvm_tool NAME: prints the command with that version, or nothing.
find_llvm_tool() {
  local command
  for command in "$1-$llvm_version" "$1"; do
    if [[ $("$command" --version 2>/dev/null) =~ version\ $llvm_version\. ]]; then echo "$command" && return; fi
  done
}

# The mirror from which apt takes this distribution's packages here.
mirror_of() { # Debian|Ubuntu
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n "s#^$1|$1|\(.*[^/]\)/*\$#\1#p" | head -n 1 || true
}

# Refuses a command line that makes no sense. It is to be called before anything is done.
wrong_usage() {
  local tool
  tool=tools/$(basename "$0")
  printf '%s: error: %s; see %s --help\n' "$tool" "$*" "$tool" >&2
  exit 2
}

# allow_options "OPTION..." ARGUMENT...: shows the help for --help, and refuses any option but these.
allow_options() {
  local known=" $1 " argument
  shift
  for argument in "$@"; do
    case $argument in
      -h | --help) show_help ;;
      -*) [[ $known == *" $argument "* ]] || wrong_usage "no option \`$argument\`" ;;
    esac
  done
}

# check_ctest_options ARGUMENT...: refuses options that ctest does not have. It ignores them, which
# would be noticed only after a long build.
check_ctest_options() {
  local known argument option
  known=" $(ctest --help | sed -nE 's/^ +(-[^=]*).*/\1/p' | grep -oE -- '(^|[ ,])--?[A-Za-z-]+' | tr -d ' ,' | tr '\n' ' ')"
  for argument in "$@"; do
    option=${argument%%=*}
    [[ $option =~ ^-j[0-9]+$ ]] && option=-j
    case $option in -*) [[ $known == *" $option "* ]] || wrong_usage "neither this script nor ctest has an option \`$option\`" ;; esac
  done
}

# logged FILE COMMAND...: runs quietly and appends to FILE. If it fails, shows the end of the log
# and exits with the command's own status.
logged() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  printf '\n$ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 || status=$?
  if ((status != 0)); then
    printf '\n--- the end of %s ---\n' "$log" >&2
    tail -n 40 "$log" >&2
    printf '%s: error: failed with status %d: %s\n' "tools/$(basename "$0")" "$status" "$*" >&2
    exit "$status"
  fi
}

# with_progress LOG WHAT COMMAND...: like `logged`, but every 20 s a line says how far ninja is.
with_progress() {
  local log=$1 what=$2 watcher status=0
  shift 2
  : >"$log"
  (
    # Killing the watcher leaves its sleep running, which must hold neither our output nor the lock.
    while sleep 20 >/dev/null 2>&1 8>&-; do
      say "$what $(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1 || true)"
    done
  ) 8>&- &
  watcher=$!
  # In a subshell, so that a failure still ends the watcher. The build itself stays in the
  # foreground, since a background one would not see Ctrl-C.
  (logged "$log" "$@") || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  ((status == 0)) || exit "$status"
}

# build_preset PRESET [TARGET...]: configures build/PRESET if needed and builds in it, of the test programs those
# that the pattern $test_programs matches (default: all). Two at once take turns, since two ninjas in one folder
# would write the same files.
build_preset() {
  local lock=$repo/build/logs/$1.lock
  mkdir -p "$repo/build/logs"
  (
    flock --nonblock 8 || { say "another build of build/$1 is running; waiting for it" && flock 8; }
    build_locked "$@"
  ) 8>"$lock"
}

# Prints -N of the newest clang++-N that compiles the project and has its sanitizers' libraries, or nothing.
sanitizing_clang() {
  local version
  for version in $(compgen -c clang++- | sed -n 's/^clang++-\([0-9]*\)$/\1/p' | sort -rnu); do
    if ((version >= 15)) && command -v "clang-$version" >/dev/null &&
      [[ -f $("clang++-$version" -print-file-name=libclang_rt.tsan.a) ||
        -f $("clang++-$version" -print-file-name="libclang_rt.tsan-$(uname -m).a") ]]; then
      echo "-$version" && return
    fi
  done
}

build_locked() {
  local preset=$1 folder=$repo/build/$1 logs=$repo/build/logs clang
  local settings=("SWEEPD_LIBTORCH:PATH=${SWEEPD_LIBTORCH:-$cache/libtorch-2.11.0/torch}"
    "SWEEPD_TEST_PROGRAMS:STRING=${test_programs:-.*}")
  shift
  # ninja itself runs CMake again if a CMakeLists.txt or the set of sources changes, but it knows
  # nothing about presets or a cache that moved.
  if [[ ! $folder/build.ninja -nt $repo/CMakePresets.json ]] ||
    (($(printf '%s\n' "${settings[@]}" | grep -cxFf - "$folder/CMakeCache.txt") < ${#settings[@]})); then
    say "configuring build/$preset"
    # GCC takes twice as long for code with sanitizers.
    if [[ $preset == [at]san && -z ${CXX:-} ]]; then
      clang=$(sanitizing_clang)
      if [[ $clang ]]; then export CC=clang$clang CXX=clang++$clang; fi
    fi
    : >"$logs/configure-$preset.log"
    (cd "$repo" && logged "$logs/configure-$preset.log" cmake --preset "$preset" "${settings[@]/#/-D}")
    grep -E '^-- (CUDA half|LibTorch)' "$logs/configure-$preset.log" | sed 's/^-- /       /' >&2 || true
  fi
  say "building build/$preset${*:+: $*}"
  with_progress "$logs/build-$preset.log" "building build/$preset" ninja -C "$folder" "$@"
}
