# `cmake --install` makes a tree that can be moved. Programs look for their libraries in ../lib and
# for LibTorch in ../lib/libtorch, a link to the build's LibTorch. The programs are in no component
# (CMake calls it `Unspecified`). tools/bundle leaves out the component `libtorch`.

# Everything that is installed, without the tests.
add_custom_target(programs DEPENDS sweepd sweepctl sweep-worker)
if(TARGET sweep_cuda)
  add_dependencies(programs sweep_cuda)
endif()
if(TARGET sweepd_inject)
  install(TARGETS sweepd_inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
endif()

# Runs before anything is written, since an installation that stops halfway is neither old nor new.
set(to_build "cmake --build \\\"${CMAKE_BINARY_DIR}\\\" --target")
foreach(program IN ITEMS sweepd sweepctl sweep-worker)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:${program}>\")
      message(FATAL_ERROR \"${program} is not built, so nothing is installed; build it with: ${to_build} ${program}\")
    endif()" ALL_COMPONENTS)
endforeach()
install(TARGETS sweepd sweepctl sweep-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET sweep-worker-light)
  add_dependencies(programs sweep-worker-light)
  # Only jobs of a cluster use it, so tools/quickstart does not build it.
  install(TARGETS sweep-worker-light RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
if(TARGET sweep_cuda)
  # Nothing links to it, and without a GPU nobody needs it, so tools/quickstart does not build it
  # there.
  install(TARGETS sweep_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:sweep_cuda>\")
      message(STATUS \"libsweep_cuda.so is not built and left out, so trials on a GPU will be skipped; to build it: ${to_build} sweep_cuda\")
    endif()")
endif()

include(InstallPlugin)
get_property(shipped GLOBAL PROPERTY sweepd_shipped_workloads)
install(TARGETS ${shipped} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sweepd/workloads)
install(DIRECTORY experiments schemas docs DESTINATION share/sweepd COMPONENT data)
install(DIRECTORY packaging/python DESTINATION share/sweepd COMPONENT data
        PATTERN __pycache__ EXCLUDE PATTERN *.egg-info EXCLUDE PATTERN build EXCLUDE)
install(FILES packaging/config.yaml DESTINATION share/doc/sweepd/examples COMPONENT data)

install(CODE "set(unit_source ${CMAKE_SOURCE_DIR}/packaging/sweepd.service)" COMPONENT data)
install(CODE [[
  # Done here and not at configure time, since `cmake --install --prefix` may differ from the
  # configured prefix.
  get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  file(READ "${unit_source}" unit)
  string(CONFIGURE "${unit}" unit @ONLY)
  file(WRITE "$ENV{DESTDIR}${prefix}/lib/systemd/user/sweepd.service" "${unit}")
]] COMPONENT data)

install(CODE "set(sweepctl $<TARGET_FILE:sweepctl>)" COMPONENT data)
install(CODE [[
  foreach(place IN ITEMS bash:bash-completion/completions/sweepctl zsh:zsh/site-functions/_sweepctl
                         fish:fish/vendor_completions.d/sweepctl.fish)
    string(REGEX REPLACE ":.*" "" shell "${place}")
    string(REGEX REPLACE "^[a-z]*:" "" file "${place}")
    set(file "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/${file}")
    get_filename_component(folder "${file}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND ${sweepctl} completion ${shell} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]] COMPONENT data)

install(CODE "set(make_man_pages ${CMAKE_SOURCE_DIR}/tools/make_man_pages $<TARGET_FILE_DIR:sweepctl>)" COMPONENT data)
install(CODE [[
  execute_process(COMMAND ${make_man_pages} "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1"
                  COMMAND_ERROR_IS_FATAL ANY)
]] COMPONENT data)

if(SWEEPD_TORCH)
  # A trial without its compiled package names this program: workloads/nn/aot_package.cpp.
  install(PROGRAMS tools/aot_compile DESTINATION bin COMPONENT data)
  include(InstallTorchPackage)
  install(CODE "set(libtorch_folder ${SWEEPD_LIBTORCH}/lib)" COMPONENT libtorch)
  install(CODE [[
    file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
    file(CREATE_LINK ${libtorch_folder} "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libtorch" SYMBOLIC)
  ]] COMPONENT libtorch)
endif()
