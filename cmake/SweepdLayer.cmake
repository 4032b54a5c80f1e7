# Precompiles the headers that nearly every file includes, once for all layers that have no set of
# their own.
function(sweepd_layer_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
  add_library(sweepd_headers OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
  target_link_libraries(sweepd_headers PRIVATE sweepd_options fmt::fmt)
  target_precompile_headers(sweepd_headers PRIVATE <fmt/format.h> <algorithm> <chrono> <cstdint> <filesystem>
    <functional> <map> <memory> <optional> <set> <string> <string_view> <unordered_map> <utility> <variant>
    <vector>)
endfunction()

# Compiles several files of a target at a time, for targets whose files spend most of their time on
# headers and templates that their neighbours need too. A change of one file compiles its whole batch.
# It is off in the preset `dev`, which therefore finds files that rely on their neighbours' includes.
#
# Seconds of CPU for the 118 files of the daemon (GCC 12.2, -O1): 157 in batches of 12, 129 of 24, 109
# of 60, with 1.1, 1.4 and 2.1 GB of memory for each compiler. So few cores with enough memory get
# large batches, and many cores get enough batches to share. A sanitizer build is made from nothing far
# more often than after a change, so there a batch is a whole layer: with Clang a fifth of the time,
# and up to 4 GB. GCC would need far more.
math(EXPR sweepd_batch_size "96 / ${cores}")
if(sweepd_batch_size LESS 12 OR memory_mb LESS 10000)
  set(sweepd_batch_size 12)
endif()
if(SWEEPD_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(sweepd_batch_size 80)
endif()
# sweepd_batches(<target> [<most>])
function(sweepd_batches target)
  if(SWEEPD_BATCHES)
    set(size ${sweepd_batch_size})
    if(ARGC GREATER 1 AND size GREATER ARGV1)
      set(size ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    # GCC treats the files as headers, where a member with a type of an anonymous namespace is a
    # mistake, and inlines only one half of the allocation and release in Asio's coroutines.
    target_compile_options(${target} PRIVATE
                           $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage -Wno-mismatched-new-delete>)
  endif()
endfunction()

# sweepd_layer(<name> LINKS <targets...> [RECURSE] [OWN_HEADERS]): makes the static library sweepd_<name> of
# every .cpp in the current folder but main.cpp. It globs on purpose: adding a file must need no other
# edit. OWN_HEADERS: it names its precompiled headers itself.
function(sweepd_layer name)
  cmake_parse_arguments(arg "RECURSE;OWN_HEADERS" "" "LINKS" ${ARGN})
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(sweepd_${name} STATIC ${sources})
    target_link_libraries(sweepd_${name} PUBLIC sweepd_options ${arg_LINKS})
    sweepd_batches(sweepd_${name})
    if(NOT arg_OWN_HEADERS)
      target_precompile_headers(sweepd_${name} REUSE_FROM sweepd_headers)
    endif()
  else()
    add_library(sweepd_${name} INTERFACE)
    target_link_libraries(sweepd_${name} INTERFACE sweepd_options ${arg_LINKS})
  endif()
endfunction()

# sweepd_test(<name> LABELS <unit|e2e> LINKS <targets...> [TORCH]): makes one test program of every
# .cpp in the current folder; each suite is a ctest of its own (DiscoverSuites.cmake). TORCH: its precompiled
# headers are those of LibTorch. FAULTS <pattern>: tests of what dies, fills up or is lost, which have the label
# `fault` too. ONLY_FAULTS: ctest does not know the others. A program that SWEEPD_TEST_PROGRAMS does not match is
# built only when it is named, and ctest does not know it.
set(SWEEPD_TEST_PROGRAMS ".*" CACHE STRING "Which test programs are built and run, as a pattern of their names")
function(sweepd_test name)
  cmake_parse_arguments(arg "TORCH;ONLY_FAULTS" "TIMEOUT;FAULTS" "LABELS;LINKS;ENV" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    return()
  endif()
  # Far beyond what any suite takes, however busy the machine and however slow the sanitizer: a limit is
  # there to end what hangs.
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1800)
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE sweepd_options ${arg_LINKS} GTest::gtest GTest::gmock
                        GTest::gtest_main)
  # Two thirds of a test file's compilation are gtest's headers and the optimiser's work on code
  # that runs once: share the first and skip the second. What is tested is optimised as ever.
  target_compile_options(test_${name} PRIVATE -O0 ${sweepd_test_options})
  if(arg_TORCH)
    sweepd_batches(test_${name} 6)  # as in sweepd_workloads
    target_precompile_headers(test_${name} REUSE_FROM sweepd_torch_test_headers)
  else()
    sweepd_batches(test_${name})
    target_precompile_headers(test_${name} REUSE_FROM sweepd_test_headers)
  endif()
  if(NOT name MATCHES "^(${SWEEPD_TEST_PROGRAMS})$")
    set_target_properties(test_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(NOT arg_ONLY_FAULTS)
    sweepd_discover("*:-${arg_FAULTS}" others "${arg_LABELS}" "")
  endif()
  if(arg_FAULTS)
    sweepd_discover("${arg_FAULTS}" faults "${arg_LABELS};fault" .faults)
  endif()
endfunction()

# Adds the suites of test_<name> with tests that match a filter. A suite may have tests in both lists, so the
# names in the second have a suffix.
function(sweepd_discover filter list labels suffix)
  string(REPLACE ";" "," labels "${labels}")
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${list}_of_suites.cmake)
  add_custom_command(TARGET test_${name} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:test_${name}> -D FILTER=${filter}
            -D PREFIX=${SWEEPD_TEST_PREFIX}${name}. -D SUFFIX=${suffix} -D LABELS=${labels} -D TIMEOUT=${arg_TIMEOUT}
            -D ENV=${arg_ENV} -D OUT=${found} -P ${CMAKE_SOURCE_DIR}/cmake/DiscoverSuites.cmake)
  # A test program that is not built yet has no tests.
  file(WRITE ${found}.include "if(EXISTS \"${found}\")\n  include(\"${found}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${found}.include)
endfunction()
