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

# sweepd_test(<name> LABELS <unit|e2e> LINKS <targets...>): one test program of every *_test.cpp
# in the current folder; each TEST is a ctest of its own.
include(GoogleTest)
function(sweepd_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;LINKS;ENV" ${ARGN})
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
  gtest_discover_tests(test_${name} TEST_PREFIX "${SWEEPD_TEST_PREFIX}${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENV}")
endfunction()
