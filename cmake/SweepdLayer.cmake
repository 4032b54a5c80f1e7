# Precompiled once for the layers that bring no headers of their own: what nearly every file includes.
# Two sets, since both sides must be compiled with the same options.
function(sweepd_layer_headers)
  file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
  foreach(headers sweepd_headers sweepd_headers_light)
    add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
    target_link_libraries(${headers} PRIVATE sweepd_options fmt::fmt)
    target_precompile_headers(${headers} PRIVATE <fmt/format.h> <algorithm> <chrono> <cstdint> <filesystem>
      <functional> <map> <memory> <optional> <set> <string> <string_view> <unordered_map> <utility> <variant>
      <vector>)
  endforeach()
  target_compile_options(sweepd_headers_light PRIVATE ${sweepd_light_options})
endfunction()

# For code that runs once a request or once a trial and waits for disks, sockets and processes: -O3
# took a quarter longer to compile it (seven files of these layers, 33 against 27 s of CPU).
set(sweepd_light_options $<$<CONFIG:Release>:-O1>)

# Compiles the files of a target several at a time, where most of a file's time goes to headers and
# templates that its neighbours need too: half of the time for all, more for one. Off in the preset `dev`,
# which so shows a file that leaves it to its neighbours to include what it needs.
function(sweepd_batches target)
  if(SWEEPD_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    # GCC takes the files for headers, where a type of an anonymous namespace inside a class is a mistake,
    # and inlines one half of what Asio's coroutines allocate and free.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-mismatched-new-delete)
  endif()
endfunction()

# sweepd_layer(<name> LINKS <targets...> [RECURSE] [LIGHT] [OWN_HEADERS]): the static library sweepd_<name>
# of every .cpp in the current folder but main.cpp. Globbing is deliberate: adding a file must need no
# other edit. LIGHT: see sweepd_light_options. OWN_HEADERS: it names its precompiled headers itself.
function(sweepd_layer name)
  cmake_parse_arguments(arg "RECURSE;LIGHT;OWN_HEADERS" "" "LINKS" ${ARGN})
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(sweepd_${name} STATIC ${sources})
    target_link_libraries(sweepd_${name} PUBLIC sweepd_options ${arg_LINKS})
    set(headers sweepd_headers)
    if(arg_LIGHT)
      target_compile_options(sweepd_${name} PRIVATE ${sweepd_light_options})
      set(headers sweepd_headers_light)
    endif()
    sweepd_batches(sweepd_${name})
    if(NOT arg_OWN_HEADERS)
      target_precompile_headers(sweepd_${name} REUSE_FROM ${headers})
    endif()
  else()
    add_library(sweepd_${name} INTERFACE)
    target_link_libraries(sweepd_${name} INTERFACE sweepd_options ${arg_LINKS})
  endif()
endfunction()

# sweepd_test(<name> LABELS <unit|e2e> LINKS <targets...> [TORCH]): one test program of every
# *_test.cpp in the current folder; each TEST is a ctest of its own. TORCH: its
# precompiled headers are those of LibTorch.
include(GoogleTest)
function(sweepd_test name)
  cmake_parse_arguments(arg "TORCH" "TIMEOUT" "LABELS;LINKS;ENV" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE sweepd_options ${arg_LINKS} GTest::gtest GTest::gmock
                        GTest::gtest_main)
  # Two thirds of a test file's compilation are gtest's headers and the optimiser's work on code
  # that runs once: share the first and skip the second. What is tested is optimised as ever.
  target_compile_options(test_${name} PRIVATE -O0 ${sweepd_test_options})
  sweepd_batches(test_${name})
  if(arg_TORCH)
    target_precompile_headers(test_${name} REUSE_FROM sweepd_torch_test_headers)
  else()
    target_precompile_headers(test_${name} REUSE_FROM sweepd_test_headers)
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX "${SWEEPD_TEST_PREFIX}${name}." DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES  # a parameter without a printer is its bytes, pointers among them
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENV}")
endfunction()
