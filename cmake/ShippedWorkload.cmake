# sweepd_shipped_workload(<name> [TORCH] <sources>...): a workload of this tree as a plugin, made by the CMake package
# that users have. Every worker loads it from ../lib/sweepd/workloads when it starts (add_shipped_workloads in
# runner/worker/plugins/load.h), so to a sweep file it is as built in. Of a library it takes $<TARGET_OBJECTS:...>, and
# nothing that this links, because the worker has that.
include(InstallPlugin)
find_package(sweepd REQUIRED PATHS ${CMAKE_BINARY_DIR}/lib/cmake NO_DEFAULT_PATH)

add_custom_target(shipped_workloads)
function(sweepd_shipped_workload name)
  sweepd_add_workload(${ARGV})
  target_link_libraries(${name} PRIVATE sweepd_options fmt::fmt-header-only)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/sweepd/workloads
                        INSTALL_RPATH "")
  sweepd_batches(${name})
  add_dependencies(shipped_workloads ${name})
  set_property(GLOBAL APPEND PROPERTY sweepd_shipped_workloads ${name})
endfunction()
