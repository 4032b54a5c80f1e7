# What authors of plugins need (docs/PLUGINS.md): the headers, a CMake package, a pkg-config file. The build folder has
# them in the same places below it, so that a plugin may be built against it too.
include(CMakePackageConfigHelpers)

# workloads/api/plugin.h and everything that it includes; tests/plugins/frozen has the same names.
set(sweepd_plugin_headers
  runner/base/clock.h runner/base/fields.h runner/base/host.h runner/base/ids.h runner/base/result.h runner/base/units.h
  runner/model/machine/environment.h runner/model/measurement/sample.h runner/model/measurement/work.h
  runner/model/sweep/run_params.h runner/model/sweep/trial.h runner/model/vocabulary/catalog.h
  runner/model/vocabulary/kernel.h runner/model/vocabulary/memory.h runner/model/vocabulary/metric.h
  runner/model/vocabulary/param.h runner/model/vocabulary/pass.h runner/model/vocabulary/pool_name.h
  runner/model/vocabulary/template_text.h runner/model/vocabulary/value.h
  workloads/api/device.h workloads/api/failure.h workloads/api/gang.h workloads/api/memory_observer.h
  workloads/api/plugin.h workloads/api/plugin_abi.h workloads/api/profiler.h workloads/api/range.h
  workloads/api/self_timed.h workloads/api/set_up_timer.h workloads/api/tensor_name.h workloads/api/workload.h)

set(package ${CMAKE_BINARY_DIR}/lib/cmake/sweepd)
configure_file(cmake/plugin/sweepd-config.cmake ${package}/sweepd-config.cmake COPYONLY)
write_basic_package_version_file(${package}/sweepd-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/plugin/sweepd.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/sweepd.pc @ONLY)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include/sweepd SYMBOLIC)
if(SWEEPD_TORCH)
  file(CREATE_LINK ${SWEEPD_LIBTORCH}/lib ${CMAKE_BINARY_DIR}/lib/libtorch SYMBOLIC)
endif()

install(DIRECTORY ${package} DESTINATION lib/cmake COMPONENT data)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/sweepd.pc DESTINATION lib/pkgconfig COMPONENT data)
foreach(header IN LISTS sweepd_plugin_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION include/sweepd/${folder} COMPONENT data)
endforeach()
