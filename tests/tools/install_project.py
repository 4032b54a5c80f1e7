"""A project whose programs have one line each, installed by the rules of cmake/InstallSweepd.cmake."""

PROGRAMS = ["sweepd", "sweepctl", "sweep-worker"]
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(sweepd VERSION 7.8.9 LANGUAGES C)
set(CMAKE_INSTALL_LIBDIR lib)
include(GNUInstallDirs)
foreach(program sweepd sweepctl sweep-worker)
  add_executable(${program} main.c)
endforeach()
if(SWEEPD_TORCH)
  add_library(sweep_cuda SHARED main.c)
  add_executable(sweep-worker-light main.c)
endif()
add_library(parallelism MODULE main.c)
set_target_properties(parallelism PROPERTIES PREFIX "")
set_property(GLOBAL PROPERTY sweepd_shipped_workloads parallelism)
add_dependencies(sweep-worker parallelism)
set(SWEEPD_LIBTORCH /somewhere/torch)
set(SWEEPD_TORCH_VERSION 2.11.0)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(cmake/InstallSweepd.cmake)
"""
# The rules ask each program for its help, of which they make a man page.
MAIN = '#include <stdio.h>\nint main(void) { return puts("Usage: it [OPTIONS]") < 0; }\n'
FOLDERS = ("experiments", "schemas", "docs", "tools", "packaging", "cmake", "runner", "workloads")
