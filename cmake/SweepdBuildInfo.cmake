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
configure_file(${CMAKE_SOURCE_DIR}/cmake/build_info.h.in
               ${CMAKE_BINARY_DIR}/generated/build_info.h @ONLY)
