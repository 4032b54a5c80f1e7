# sweepd_layer(<name> LINKS <targets...>): the static library sweepd_<name> of every .cpp in the
# current folder but main.cpp. Globbing is deliberate: adding a file must need no other edit.
function(sweepd_layer name)
  cmake_parse_arguments(arg "RECURSE" "" "LINKS" ${ARGN})
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(sweepd_${name} STATIC ${sources})
    target_link_libraries(sweepd_${name} PUBLIC sweepd_options ${arg_LINKS})
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
  target_compile_options(test_${name} PRIVATE -O0)
  if(arg_TORCH)
    target_precompile_headers(test_${name} REUSE_FROM sweepd_torch_test_headers)
  else()
    target_precompile_headers(test_${name} REUSE_FROM sweepd_test_headers)
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX "${SWEEPD_TEST_PREFIX}${name}." DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES  # a parameter without a printer is its bytes, pointers among them
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENV}")
endfunction()
