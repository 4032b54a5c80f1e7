# `cmake --install` gives a tree that can be moved: programs look for their libraries in ../lib and for
# LibTorch in ../lib/libtorch, a link to the one of the build. The programs are installed where they
# are defined, in no component (CMake calls it `Unspecified`); the rest is here. tools/bundle leaves
# the component `libtorch` out.

# All that is installed, without the tests.
add_custom_target(programs DEPENDS sweepd sweepctl sweep-worker)
if(TARGET sweep_cuda)
  add_dependencies(programs sweep_cuda)
endif()
install(DIRECTORY experiments schemas docs DESTINATION share/sweepd COMPONENT data)
# A trial that lacks its compiled package names this one: workloads/nn/aot_package.cpp.
install(PROGRAMS tools/aot_compile DESTINATION bin COMPONENT data)

install(CODE "set(unit_source ${CMAKE_SOURCE_DIR}/packaging/sweepd.service)" COMPONENT data)
install(CODE [[
  # Here and not at configure time: `cmake --install --prefix` may differ from the configured prefix.
  get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  file(READ "${unit_source}" unit)
  string(CONFIGURE "${unit}" unit @ONLY)
  file(WRITE "$ENV{DESTDIR}${prefix}/lib/systemd/user/sweepd.service" "${unit}")
]] COMPONENT data)

install(CODE "set(sweepctl $<TARGET_FILE:sweepctl>)" COMPONENT data)
install(CODE [[
  set(completions "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions")
  file(MAKE_DIRECTORY "${completions}")
  execute_process(COMMAND ${sweepctl} completion bash OUTPUT_FILE "${completions}/sweepctl"
                  COMMAND_ERROR_IS_FATAL ANY)
]] COMPONENT data)

if(SWEEPD_TORCH)
  install(CODE "set(libtorch_folder ${SWEEPD_LIBTORCH}/lib)" COMPONENT libtorch)
  install(CODE [[
    file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
    file(CREATE_LINK ${libtorch_folder} "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libtorch" SYMBOLIC)
  ]] COMPONENT libtorch)
endif()
