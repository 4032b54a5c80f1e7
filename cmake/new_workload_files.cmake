# Sets `variable` to the C++ file with the files of `sweepctl new-workload` (runner/client/commands/new_workload_files.h),
# written when CMake configures.
function(sweepd_new_workload_files variable)
  set(folder ${CMAKE_SOURCE_DIR}/packaging/new_workload)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.in)
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
    file(READ ${folder}/${file} text)
    get_filename_component(kind ${file} DIRECTORY)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.in$" "" name ${name})
    string(APPEND rows "      {\"${kind}\", \"${name}\", R\"file(${text})file\"},\n")
  endforeach()
  set(made ${CMAKE_BINARY_DIR}/generated/new_workload_files.cpp)
  file(CONFIGURE OUTPUT ${made} @ONLY CONTENT [[// Made by cmake/new_workload_files.cmake.
#include "runner/client/commands/new_workload_files.h"

namespace sweepd {

const std::vector<TemplateFile>& template_files() {
  static const std::vector<TemplateFile> files{
@rows@  };
  return files;
}

}  // namespace sweepd
]])
  set(${variable} ${made} PARENT_SCOPE)
endfunction()
