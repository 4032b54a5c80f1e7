# Writes OUTPUT, the values of build_info.h: VERSION, BUILD and the git commit of the folder SOURCE, with `-dirty` behind
# it if a file differs from that commit. GIT is the program, and may be empty. A file that would not change is left as
# it is, so that nothing is linked again.
set(COMMIT "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT "unknown")  # sources from an archive
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${OUTPUT} @ONLY)
