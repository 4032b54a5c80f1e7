# Writes a ctest file with one test per suite of a gtest program: run after the program is linked, by
# sweepd_discover. Starting a process takes longer than most tests, so a suite's tests share one. Suites whose
# name begins with `Nightly` get the label `nightly`.
#
#   cmake -D PROGRAM=... -D FILTER=... -D PREFIX=... -D SUFFIX=... -D LABELS=... -D TIMEOUT=... -D ENV=... -D OUT=...
#         -P DiscoverSuites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} OUTPUT_VARIABLE listed
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${status}")
endif()
# The values of parameters are comments here.
string(REGEX REPLACE "  # [^\n]*" "" listed "${listed}")
string(REPLACE ";" "\\;" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")
set(suites "")
foreach(line IN LISTS listed)
  if(line MATCHES "^  (.+)$")
    list(APPEND tests_of_${suite} "${suite}.${CMAKE_MATCH_1}")
  elseif(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
    list(APPEND suites ${suite})
  endif()
endforeach()
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} has no test that matches ${FILTER}")
endif()
string(REPLACE "," ";" LABELS "${LABELS}")
set(text "")
foreach(suite IN LISTS suites)
  list(JOIN tests_of_${suite} ":" names)
  set(test "[==[${PREFIX}${suite}${SUFFIX}]==]")
  set(labels ${LABELS})
  if(suite MATCHES "(^|/)Nightly")
    list(APPEND labels nightly)
  endif()
  string(APPEND text "add_test(${test} [==[${PROGRAM}]==] [==[--gtest_filter=${names}]==])\n"
         "set_tests_properties(${test} PROPERTIES LABELS \"${labels}\" TIMEOUT ${TIMEOUT} ENVIRONMENT \"${ENV}\")\n")
endforeach()
file(WRITE ${OUT} "${text}")
