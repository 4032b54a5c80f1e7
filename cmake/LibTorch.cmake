# LibTorch as imported targets: Torch::cpu, and Torch::cuda for libsweep_cuda.so alone.
# find_package(Torch) is not used, because it stops on machines without a CUDA toolkit.
set(SWEEPD_TORCH_VERSION 2.11.0)
if(DEFINED ENV{SWEEPD_LIBTORCH})
  set(libtorch_default $ENV{SWEEPD_LIBTORCH})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(libtorch_default $ENV{XDG_CACHE_HOME}/sweepd/libtorch-${SWEEPD_TORCH_VERSION}/torch)
else()
  set(libtorch_default $ENV{HOME}/.cache/sweepd/libtorch-${SWEEPD_TORCH_VERSION}/torch)
endif()
set(SWEEPD_LIBTORCH ${libtorch_default} CACHE PATH
    "The `torch` folder of an unpacked torch ${SWEEPD_TORCH_VERSION} wheel (include/, lib/)")

set(version_header ${SWEEPD_LIBTORCH}/include/torch/headeronly/version.h)
if(NOT EXISTS ${version_header} OR NOT EXISTS ${SWEEPD_LIBTORCH}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No LibTorch in ${SWEEPD_LIBTORCH}. Run tools/fetch_libtorch, or point "
          "-DSWEEPD_LIBTORCH= at the `torch` folder of a torch ${SWEEPD_TORCH_VERSION} install, or "
          "build without the worker: -DSWEEPD_TORCH=OFF.")
endif()
file(STRINGS ${version_header} version_line REGEX "^ *\"[0-9.]+\"")
string(REGEX MATCH "[0-9.]+" found_version "${version_line}")
if(NOT found_version VERSION_EQUAL SWEEPD_TORCH_VERSION)
  message(FATAL_ERROR "LibTorch in ${SWEEPD_LIBTORCH} is ${found_version}; sweepd is written "
          "against ${SWEEPD_TORCH_VERSION}. tools/fetch_libtorch gets that one.")
endif()
message(STATUS "LibTorch ${found_version}: ${SWEEPD_LIBTORCH}")

# libtorch_cpu.so of the CUDA wheel needs these two even if nothing uses a GPU. They come from the
# toolkit, or else from the wheels that tools/fetch_libtorch unpacks beside torch.
get_filename_component(libtorch_parent ${SWEEPD_LIBTORCH} DIRECTORY)
file(GLOB_RECURSE wheel_libraries ${SWEEPD_LIBTORCH}/nvidia/*.so.13
     ${libtorch_parent}/nvidia/*.so.13)
function(sweepd_torch_dependency variable name)
  foreach(library IN LISTS wheel_libraries)
    if(library MATCHES "/${name}$")
      set(from_wheel ${library})
    endif()
  endforeach()
  find_library(${variable} NAMES ${name} PATHS /usr/local/cuda/lib64 /usr/local/cuda/lib
               /usr/local/cuda/extras/CUPTI/lib64 ENV CUDA_HOME PATH_SUFFIXES lib64 lib)
  if(NOT ${variable} AND from_wheel)
    set(${variable} ${from_wheel} CACHE FILEPATH "" FORCE)
  endif()
  if(NOT ${variable})
    message(FATAL_ERROR "LibTorch needs ${name}, which is neither in a CUDA toolkit nor below "
            "${libtorch_parent}/nvidia. Run tools/fetch_libtorch.")
  endif()
endfunction()
sweepd_torch_dependency(SWEEPD_CUDART libcudart.so.13)
sweepd_torch_dependency(SWEEPD_CUPTI libcupti.so.13)

function(sweepd_import name location)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${location})
endfunction()
sweepd_import(Torch::c10 ${SWEEPD_LIBTORCH}/lib/libc10.so)
sweepd_import(Torch::cpu ${SWEEPD_LIBTORCH}/lib/libtorch_cpu.so)
# For workloads/flash/parallel_for.h. This is torch's own OpenMP run time, so that both share one pool
# of threads.
sweepd_import(Torch::gomp ${SWEEPD_LIBTORCH}/lib/libgomp.so.1)
sweepd_import(Torch::cudart ${SWEEPD_CUDART})
sweepd_import(Torch::cupti ${SWEEPD_CUPTI})
target_include_directories(Torch::cpu SYSTEM INTERFACE ${SWEEPD_LIBTORCH}/include
                           ${SWEEPD_LIBTORCH}/include/torch/csrc/api/include)
target_compile_definitions(Torch::cpu INTERFACE AT_PER_OPERATOR_HEADERS)  # workloads/torch/aten.h
# GCC compiled the wheel. Since version 18 Clang gives some templates other names than GCC does.
target_compile_options(Torch::cpu INTERFACE
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,18>>:-fclang-abi-compat=17>)
# The wheel has its own fmt headers, newer than the system's library, and they come first. They are
# in a namespace of their version, so one program can have both; cmake/torch_fmt.cpp is the library
# for them.
add_library(sweepd_torch_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/torch_fmt.cpp)
target_include_directories(sweepd_torch_fmt SYSTEM PRIVATE ${SWEEPD_LIBTORCH}/include)
# Naming cudart and cupti puts their folders into the RPATH. It is RPATH and not RUNPATH, since only
# the former is searched for the libraries of libraries.
target_link_libraries(Torch::cpu INTERFACE Torch::c10 Torch::cudart Torch::cupti
                      sweepd_torch_fmt)
target_link_options(Torch::cpu INTERFACE -Wl,--disable-new-dtags -Wl,--allow-shlib-undefined)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN/../lib/libtorch")

# --no-as-needed: CUDA kernels register themselves when the library loads, and no symbol refers to
# it. The driver and half of what libtorch_cuda.so needs exist only on machines with a GPU.
add_library(Torch::cuda INTERFACE IMPORTED GLOBAL)
target_link_libraries(Torch::cuda INTERFACE Torch::cpu -Wl,--no-as-needed
  ${SWEEPD_LIBTORCH}/lib/libtorch_cuda.so ${SWEEPD_LIBTORCH}/lib/libc10_cuda.so -Wl,--as-needed)
