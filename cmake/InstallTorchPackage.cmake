# The tree of the Debian package sweepd-torch (tools/package): a worker with LibTorch in a folder of its own, where
# the programs of the torch-free package find it (runner/base/worker_program.h). It is no part of `cmake --install`.
set(torch_package lib/sweepd/torch)
set(options COMPONENT torch_package EXCLUDE_FROM_ALL)

install(TARGETS ${shipped} LIBRARY DESTINATION ${torch_package}/lib/sweepd/workloads ${options})
install(TARGETS sweep-worker RUNTIME DESTINATION ${torch_package}/libexec ${options})
# Beside the launcher. It needs no LibTorch.
install(TARGETS sweep-worker-light RUNTIME DESTINATION ${torch_package}/bin ${options})
if(TARGET sweep_cuda)
  install(TARGETS sweep_cuda LIBRARY DESTINATION ${torch_package}/lib OPTIONAL ${options})
endif()
if(TARGET sweepd_inject)
  install(TARGETS sweepd_inject LIBRARY DESTINATION ${torch_package}/lib OPTIONAL ${options})
endif()
install(PROGRAMS tools/aot_compile DESTINATION ${torch_package}/bin ${options})
# The launcher fetches LibTorch where nobody has it.
install(PROGRAMS tools/fetch_libtorch DESTINATION ${torch_package}/libexec ${options})
install(FILES tools/lib.sh DESTINATION ${torch_package}/libexec ${options})

set(torch_version ${SWEEPD_TORCH_VERSION})
configure_file(packaging/sweep-worker ${CMAKE_BINARY_DIR}/generated/torch_package/sweep-worker @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/generated/torch_package/sweep-worker DESTINATION ${torch_package}/bin ${options})
