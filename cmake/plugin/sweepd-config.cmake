# find_package(sweepd) offers
#
#   sweepd_add_workload(<name> [TORCH] <sources>...)
#
# It makes <name>.so, a plugin for sweep-worker (docs/PLUGINS.md). TORCH: its sources include headers of the LibTorch
# with which the worker was built. A plugin links nothing of sweepd or LibTorch: the worker has both.
get_filename_component(sweepd_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(sweepd_include_dir ${sweepd_prefix}/include/sweepd)

# and, for the tests of such a workload,
#
#   sweepd_link_libtorch(<target>)

# The folder of LibTorch: that of $SWEEPD_LIBTORCH, else the LibTorch beside the programs.
function(sweepd_libtorch_folder variable)
  set(folder $ENV{SWEEPD_LIBTORCH})
  if(NOT folder)
    get_filename_component(libraries ${sweepd_prefix}/lib/libtorch REALPATH)
    get_filename_component(folder ${libraries} DIRECTORY)
  endif()
  if(NOT EXISTS ${folder}/include/torch/headeronly/version.h)
    message(FATAL_ERROR "sweepd: no LibTorch in ${folder}; set SWEEPD_LIBTORCH to the `torch` folder of "
            "the LibTorch that the worker uses")
  endif()
  set(${variable} ${folder} PARENT_SCOPE)
endfunction()

function(sweepd_include_libtorch target)
  sweepd_libtorch_folder(folder)
  target_include_directories(${target} SYSTEM PRIVATE ${folder}/include ${folder}/include/torch/csrc/api/include)
endfunction()

function(sweepd_link_libtorch target)
  sweepd_include_libtorch(${target})
  sweepd_libtorch_folder(folder)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # What LibTorch needs of CUDA is in a toolkit or in the wheels beside it.
  file(GLOB cuda ${folder}/../nvidia/*/lib)
  list(APPEND cuda /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64)
  # RPATH and not RUNPATH, since only the former is searched for the libraries of libraries.
  target_link_libraries(${target} PRIVATE ${folder}/lib/libtorch_cpu.so ${folder}/lib/libc10.so
                        -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "${folder}/lib;${cuda}")
endfunction()

function(sweepd_add_workload name)
  cmake_parse_arguments(arg "TORCH" "" "" ${ARGN})
  add_library(${name} MODULE ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so)
  target_compile_features(${name} PRIVATE cxx_std_20)
  # CMake does not know the standards of each nvcc.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_include_directories(${name} PRIVATE ${sweepd_include_dir})
  if(arg_TORCH)
    sweepd_include_libtorch(${name})
    # The plugin says which LibTorch it needs, whatever it includes.
    target_compile_options(${name} PRIVATE "SHELL:-include torch/headeronly/version.h")
  endif()
endfunction()
