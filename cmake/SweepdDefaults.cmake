# Language level, warnings and output folders, the same for every target.
set(oldest_clang 15)
if(SWEEPD_FUZZ)
  set(oldest_clang 14)  # that of Debian 12; it compiles what the fuzzers read, and not the daemon
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "SWEEPD_FUZZ needs Clang; ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID}. Name one in CXX "
            "and delete the build folder, or use tools/fuzz")
  endif()
endif()
if((CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS ${oldest_clang}))
  message(FATAL_ERROR "sweepd needs GCC 11 or Clang 15, or newer; ${CMAKE_CXX_COMPILER} is "
          "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Name another one in CXX and delete the build folder.")
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# The code waits for disks, sockets, processes and LibTorch's kernels, and -O3 took a third longer to compile
# (`command` and the worker: 24.6 against 16.6 s of CPU each, GCC 12.2). Files that compute themselves set -O3.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")  # CMake's default, so nobody chose it
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
endif()
# All programs are in one bin/ folder: sweepctl finds sweepd, and sweepd finds sweep-worker, beside
# itself.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
# RPATH and not RUNPATH, since only the former is searched for the libraries of libraries. A bundle
# relies on that.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")

find_program(SWEEPD_CCACHE ccache)
if(SWEEPD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without pch_defines,time_macros ccache refuses every file that uses a precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SWEEPD_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SWEEPD_CCACHE})
endif()

add_library(sweepd_options INTERFACE)
target_include_directories(sweepd_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(sweepd_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Werror>
  # GCC 12 warns of overlapping and endless copies in std::string insertions that do not exist (GCC
  # bug 105651), of the latter where <string> is precompiled. Clang does not know these warnings.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
  -Wno-array-bounds>
  # With precompiled headers Clang warns of a deprecated function that libstdc++ itself calls
  # (std::stable_sort). GCC still warns where our own code calls one.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
# Where there is memory, GCC need not collect garbage: a half of sweepctl's commands took 33.8 s of CPU and 1.6 GB
# instead of 41.7 s and 1.2 GB (GCC 12.2).
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT memory_mb QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR memory_of_a_core "${memory_mb} / ${cores}")
if(memory_of_a_core GREATER 4000)
  target_compile_options(sweepd_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=3000000>)
endif()
target_link_options(sweepd_options INTERFACE -Wl,--disable-new-dtags)
set(sweepd_test_options "")
if(SWEEPD_SANITIZE)
  target_compile_options(sweepd_options INTERFACE -fsanitize=${SWEEPD_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(sweepd_options INTERFACE -fsanitize=${SWEEPD_SANITIZE})
  # GCC defines a macro of its own for each, Clang none.
  if(SWEEPD_SANITIZE MATCHES "address")
    target_compile_definitions(sweepd_options INTERFACE SWEEPD_UNDER_ASAN)
  elseif(SWEEPD_SANITIZE MATCHES "thread")
    target_compile_definitions(sweepd_options INTERFACE SWEEPD_UNDER_TSAN)
  endif()
  if(SWEEPD_SANITIZE MATCHES "undefined")
    # Checks of undefined behaviour double the time to compile a test, and a test's own code is not
    # what they are for. `vptr` is a fifth of the rest, and no class here is cast by force.
    target_compile_options(sweepd_options INTERFACE -fno-sanitize=vptr)
    set(sweepd_test_options -fno-sanitize=undefined)
  endif()
  if(SWEEPD_SANITIZE MATCHES "thread")
    # The thread sanitizer does not understand fences; Asio's locks order its handlers without them.
    target_compile_definitions(sweepd_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
