// What identifies a build of plugins (workloads/api/plugin.h), in the plugin and in the worker.
#pragma once

#define SWEEPD_PLUGIN_ABI "1"
#define SWEEPD_PLUGIN_VERSION "0.1.0"
#ifdef __clang__
#define SWEEPD_PLUGIN_COMPILER "Clang " __clang_version__
#else
#define SWEEPD_PLUGIN_COMPILER "GCC " __VERSION__
#endif
