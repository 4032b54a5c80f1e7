# Writes OUT, the source file with a hash of every workload's code: cmake -DROOT=<source folder>
# -DSALT=<compiler, flags, libraries> -DOUT=<file> -P workload_code.cmake
#
# A workload's code is its own file, workloads/NAME.cpp, and every other file below workloads/ that is
# not such a file. So a change of one workload leaves the results of the others as they are, and a
# change of anything outside workloads/ leaves all of them.
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${ROOT}/workloads
     ${ROOT}/workloads/*.cpp ${ROOT}/workloads/*.h ${ROOT}/workloads/*.cu ${ROOT}/workloads/*.cuh)
list(SORT files)
set(own "")
set(shared "${SALT}")
foreach(name IN LISTS files)
  if(name MATCHES "^[^/]+\\.cpp$")
    list(APPEND own ${name})
    continue()
  endif()
  file(SHA256 ${ROOT}/workloads/${name} hash)
  string(APPEND shared "${name}:${hash}\n")
endforeach()
set(rows "")
foreach(name IN LISTS own)
  file(SHA256 ${ROOT}/workloads/${name} hash)
  string(SHA256 code "${shared}${hash}")
  string(SUBSTRING ${code} 0 12 code)
  string(REGEX REPLACE "\\.cpp$" "" stem ${name})
  string(APPEND rows "    {\"${stem}\", \"${code}\"},\n")
endforeach()
set(text "// Made by cmake/workload_code.cmake.
#include \"workloads/api/code.h\"

#include <utility>

namespace sweepd {
namespace {

constexpr std::pair<std::string_view, std::string_view> kCodes[] = {
${rows}};

}  // namespace

std::string_view code_of_workload(std::string_view name) {
  for (const auto& [workload, code] : kCodes) {
    if (workload == name) return code;
  }
  return {};
}

}  // namespace sweepd
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
