# Finds the git commit of the build for the environment record, at configure time. A build from an
# archive has none and says so.
find_package(Git QUIET)
set(SWEEPD_COMMIT "unknown")
if(Git_FOUND AND EXISTS ${CMAKE_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE SWEEPD_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT SWEEPD_COMMIT)
    set(SWEEPD_COMMIT "unknown")
  endif()
endif()
# The same commit gives programs that differ in speed and in what they can measure.
set(SWEEPD_BUILD "${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(SWEEPD_SANITIZE)
  string(APPEND SWEEPD_BUILD ", sanitizers ${SWEEPD_SANITIZE}")
endif()
if(SWEEPD_TORCH)
  string(APPEND SWEEPD_BUILD ", with LibTorch")
else()
  string(APPEND SWEEPD_BUILD ", without LibTorch")
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/build_info.h.in
               ${CMAKE_BINARY_DIR}/generated/build_info.h @ONLY)
