# Makes the library sweepd_build_info: version, commit and kind of this build, for `--version` and for the environment
# record of each attempt. Git is asked at every build, since a build folder outlives the commit that it was configured
# at. Only what uses build_info.h links this library, so that a commit compiles one file and links no more than that again.
find_package(Git QUIET)
set(git "")
if(Git_FOUND)
  set(git ${GIT_EXECUTABLE})
endif()
# The same commit gives programs that differ in speed and in what they can measure.
set(build "${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(SWEEPD_SANITIZE)
  string(APPEND build ", sanitizers ${SWEEPD_SANITIZE}")
endif()
if(SWEEPD_TORCH)
  string(APPEND build ", with LibTorch")
else()
  string(APPEND build ", without LibTorch")
endif()
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_info)
set(values ${CMAKE_BINARY_DIR}/generated/build_info/values.cpp)
add_custom_target(sweepd_build_info_values
  COMMAND ${CMAKE_COMMAND} -DGIT=${git} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DBUILD=${build}
          -DOUTPUT=${values} -P ${folder}/write.cmake
  BYPRODUCTS ${values} COMMENT "Asking git for the commit" VERBATIM)
add_library(sweepd_build_info STATIC ${values})
add_dependencies(sweepd_build_info sweepd_build_info_values)
target_include_directories(sweepd_build_info PUBLIC ${folder})
