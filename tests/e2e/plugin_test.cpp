// A workload in a shared library, from the sweep file to the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Plugin : public testing::Test {
 protected:
  Plugin() { ::setenv("SWEEPD_CACHE", (box.folder() / "cache").c_str(), 1); }
  ~Plugin() override { ::unsetenv("SWEEPD_CACHE"); }

  void install(const std::string& plugin, const std::string& as) const {
    fs::copy_file(fs::path(PLUGINS) / plugin, box.folder() / as,
                  fs::copy_options::overwrite_existing);
  }
  std::string file(const std::string& sections, const std::string& more = "") const {
    return box.write("saxpy.yaml", "sweep: own\nworkload: ./saxpy.so\n" + sections +
                                       "params: {device: cpu, warmup: 1, steps: 3" + more + "}\n");
  }
  Ran submit(const std::string& path) const { return box.ctl({"submit", path, "--wait"}); }

  Sandbox box;
};

TEST_F(Plugin, HasWhatTheWorkersOwnWorkloadsHave) {
  install("saxpy.so", "saxpy.so");
  const std::string path = file("passes: [timing, memory]\nmatrix: {size: [1000, 2000]}\n");
  const Ran ran = submit(path);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err << box.ctl({"show", "own"}).out;
  // Views, phases, work, set-up, facts and held tensors, by SQL; the check by its fact.
  EXPECT_EQ(box.sql("select group_concat(size) from (select distinct size from saxpy where phase = "
                    "'add' order by 1)"),
            "1000,2000");
  const Ran rate = box.ctl({"query", "saxpy", "--rows", "size", "--cell", "{gbps:.9f}", "--where",
                            "phase=add", "--format", "csv"});
  EXPECT_THAT(rate.out, testing::ContainsRegex("1000,[0-9.]+,2.*\r\n2000,[0-9.]+,2"));
  EXPECT_EQ(box.sql("select sum(bytes) from phase_work"), "144000.0") << "of 2 trials, 2 passes";
  EXPECT_EQ(box.sql("select count(*) from fact join name on name.id = fact.name where name.text = "
                    "'check.largest_error'"),
            "4");
  EXPECT_EQ(box.sql("select count(distinct size) from saxpy_memory"), "2");
  EXPECT_THAT(box.ctl({"report", "own"}).out, AllOf(HasSubstr("1000"), HasSubstr("2000")));
  EXPECT_THAT(box.ctl({"workloads", (box.folder() / "saxpy.so").string()}).out,
              AllOf(HasSubstr("saxpy (version 3): y = a x + y"), HasSubstr("factor")));
}

TEST_F(Plugin, AnEditedLibraryIsMeasuredAgain) {
  install("saxpy.so", "saxpy.so");
  const std::string path = file("");
  ASSERT_THAT(submit(path).out, HasSubstr("1 to run"));
  EXPECT_THAT(submit(path).out, HasSubstr("1 reused"));
  {
    std::ofstream more(box.folder() / "saxpy.so", std::ios::app | std::ios::binary);
    more << "another content";
  }
  EXPECT_THAT(box.ctl({"plan", path}).out, HasSubstr("because saxpy.so changed"));
  EXPECT_THAT(submit(path).out, HasSubstr("1 to run (1 again, because saxpy.so changed"));
  install("saxpy.so", "saxpy.so");
  EXPECT_THAT(submit(path).out, HasSubstr("1 reused")) << "the old content is measured already";
}

TEST_F(Plugin, QueuedTrialsKeepTheLibraryOfTheirSubmission) {
  install("saxpy.so", "saxpy.so");
  const std::string path = file("matrix: {size: [1, 2, 3, 4]}\n", ", sleep: 100ms, threads: 2");
  ASSERT_EQ(box.ctl({"submit", path}).exit_code, 0);
  install("crash.so", "saxpy.so");
  EXPECT_EQ(box.ctl({"watch", "own"}).exit_code, 0) << box.ctl({"show", "own"}).out;
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "4");
}

TEST_F(Plugin, WithoutTheCopyOnlyTheSameContentRuns) {
  install("saxpy.so", "saxpy.so");
  const std::string path = file("", ", end: throw");
  EXPECT_EQ(submit(path).exit_code, 4);
  fs::remove_all(box.folder() / "cache");
  install("frozen.so", "saxpy.so");
  EXPECT_EQ(box.ctl({"retry", "own"}).exit_code, 0);
  EXPECT_EQ(box.ctl({"watch", "own"}).exit_code, 4);
  EXPECT_THAT(box.ctl({"show", "own"}).out,
              AllOf(HasSubstr("saxpy.so` changed after it was submitted: its code was saxpy.so:"),
                    HasSubstr("submit the sweep again")));
}

TEST_F(Plugin, EndsAsAnyWorkloadDoes) {
  install("saxpy.so", "saxpy.so");
  const struct {
    const char* end;
    const char* outcome;
    const char* words;
  } rows[] = {{"unavailable", "skipped", "no such thing here"},
              {"wrong", "failed", "check failed: y[0] differs"},
              {"throw", "failed", "thrown on purpose"},
              {"exhaust", "oom", "memory"}};
  for (const auto& [end, outcome, words] : rows) {
    submit(file("", std::string(", memory_limit: 1GiB, end: ") + end));
    EXPECT_THAT(box.ctl({"show", "own"}).out, AllOf(HasSubstr(outcome), HasSubstr(words))) << end;
  }
}

// With LibTorch the device counts tensors, and this library has none.
class PluginInFullWorker : public Plugin {
 protected:
  PluginInFullWorker() { ::setenv("SWEEPD_WORKER", SWEEP_WORKER, 1); }
};

TEST_F(PluginInFullWorker, WithoutLibTorchItsMemoryIsTheProcesss) {
  install("saxpy.so", "saxpy.so");
  ASSERT_EQ(submit(file("passes: [memory]\nmatrix: {size: [2000000]}\n")).exit_code, 0)
      << box.ctl({"show", "own"}).out;
  EXPECT_EQ(box.sql("select at_end_bytes - at_start_bytes > 30000000 from saxpy_memory "
                    "where phase = 'setup'"),
            "1")
      << "two vectors of 16 MB";
  submit(file("", ", memory_limit: 1GiB, end: exhaust"));
  EXPECT_THAT(box.ctl({"show", "own"}).out, HasSubstr("oom"));
}

TEST_F(Plugin, WhatDoesNotLoadIsAMistakeOfTheFile) {
  install("crash.so", "saxpy.so");
  const Ran ran = submit(file(""));
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("saxpy.yaml:2:11: error: workload: `./saxpy.so`"),
                             HasSubstr("the worker that had to describe it ended")));
  EXPECT_EQ(box.ctl({"status"}).exit_code, 0) << "the daemon lives";
}

TEST_F(Plugin, RunsAnyContentOrTheFilesOwn) {
  install("saxpy.so", "saxpy.so");
  EXPECT_THAT(submit(file("", ", code: any")).out, HasSubstr("1 to run"));
  EXPECT_EQ(box.sql("select outcome from attempt"), "done");
  EXPECT_THAT(box.ctl({"plan", file(""), "--set", "plugin_file=/other.so"}).err,
              HasSubstr("plugin_file"));
}

TEST_F(Plugin, OfTheConfigurationHasAName) {
  install("frozen.so", "own.so");
  install("frozen.so", "twin.so");
  const std::string config =
      box.write("config.yaml", "plugins: [" + (box.folder() / "own.so").string() + ", " +
                                   (box.folder() / "twin.so").string() + "]\n");
  ::setenv("SWEEPD_CONFIG", config.c_str(), 1);
  EXPECT_THAT(box.ctl({"workloads"}).out, HasSubstr("frozen_saxpy"));
  std::ifstream log(box.state() / "sweepd.log");
  const std::string said{std::istreambuf_iterator<char>(log), {}};
  EXPECT_THAT(said, testing::ContainsRegex("twin.so is left out: .*own.so has a workload"));
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          "sweep: a\nworkload: frozen_saxpy\nparams: {device: cpu, steps: 2}\n");
  ::unsetenv("SWEEPD_CONFIG");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(box.sql("select count(*) from fact join name on name.id = fact.name where name.text = "
                    "'last'"),
            "1");
}

// Stands for a compiler: notes each compilation, of which the library is the one of tests/plugins.
constexpr const char* kCompiler = R"(#!/bin/sh
for word; do
  case $word in
    --version) echo "no compiler 1"; exit ;;
    *.cpp) source=$word ;;
    -E) cat "$source"; exit ;;
  esac
  last=$word
done
if grep -n oops "$source" >&2; then exit 1; fi
echo "$@" >>"$(dirname "$0")/calls"
cp PLUGINS/saxpy.so "$last"
)";

class PluginSource : public Plugin {
 protected:
  PluginSource() {
    std::string text = kCompiler;
    text.replace(text.find("PLUGINS"), 7, PLUGINS);
    const std::string compiler = box.write("compiler", text);
    fs::permissions(compiler, fs::perms::owner_all);
    ::setenv("CXX", compiler.c_str(), 1);
  }
  ~PluginSource() override { ::unsetenv("CXX"); }

  Ran submit_source(const std::string& source) const {
    box.write("own.cpp", source);
    return box.ctl({"submit", sweep_, "--wait"});
  }
  std::string calls() const {
    std::ifstream file(box.folder() / "calls");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string sweep_ = box.write(
      "own.yaml", "sweep: own\nworkload: ./own.cpp\nparams: {device: cpu, warmup: 0, steps: 2}\n");
};

TEST_F(PluginSource, IsCompiledOnceForEachContent) {
  EXPECT_THAT(submit_source("one").out, HasSubstr("1 to run"));
  EXPECT_THAT(submit_source("one").out, HasSubstr("1 reused"));
  EXPECT_EQ(std::ranges::count(calls(), '\n'), 1);
  EXPECT_THAT(submit_source("// sweepd: -march=native -lm\none").out,
              HasSubstr("1 to run (1 again, because own.cpp changed"));
  EXPECT_EQ(std::ranges::count(calls(), '\n'), 2);
  EXPECT_THAT(calls(), testing::ContainsRegex("own.cpp -march=native -lm -o .*[.]part\n$"));
}

TEST_F(PluginSource, ItsMistakesAreTheCompilers) {
  const Ran ran = submit_source("fine\nint x = oops;\n");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("own.yaml:2:11: error: workload: `./own.cpp` does not "
                                 "compile:\n2:int x = oops;\n"));
  std::string noise;
  for (int i = 0; i < 40; ++i) noise += "note: oops\n";
  EXPECT_THAT(submit_source(noise + "x.cpp:9: error: oops\n").err,
              HasSubstr("does not compile:\n41:x.cpp:9: error: oops\n"));
  const auto with_compiler = [&](const std::string& compiler) {
    ::setenv("CXX", compiler.c_str(), 1);
    box.ctl({"stop"});
    return submit_source("fine").err;
  };
  EXPECT_THAT(with_compiler("false"), HasSubstr("`false` ended with exit code 1 and said nothing"));
  EXPECT_THAT(with_compiler("true -O1"), HasSubstr("made no library; look at its flags"));
  ::setenv("CXX", "/nonexistent/c++", 1);
  box.ctl({"stop"});
  EXPECT_THAT(submit_source("fine").err,
              HasSubstr("`./own.cpp` needs the compiler `/nonexistent/c++`, which is not here"));
}

// With a compiler, which takes some seconds.
using NightlyPlugin = Plugin;

TEST_F(NightlyPlugin, ASourceFileNeedsOnlyACompiler) {
  fs::copy_file(fs::path(PLUGINS_SOURCE) / "saxpy.cpp", box.folder() / "saxpy.cpp");
  const std::string path =
      box.write("own.yaml", "sweep: own\nworkload: ./saxpy.cpp\nparams: {device: cpu, steps: 2}\n");
  EXPECT_THAT(submit(path).out, HasSubstr("1 to run"));
  EXPECT_THAT(submit(path).out, HasSubstr("1 reused"));
  std::ofstream(box.folder() / "saxpy.cpp", std::ios::app) << "int x = oops;\n";
  EXPECT_THAT(submit(path).err, AllOf(HasSubstr("own.yaml:2:11"), HasSubstr("oops")));
}

TEST_F(NightlyPlugin, ANewWorkloadBuildsAndPassesItsTest) {
  // Runs what it says to run next, but for the last command, which is not in PATH here.
  const std::string commands =
      "cd '" + box.folder().string() +
      "' && '" SWEEPCTL
      "' new-workload triad > said && grep -E '^  (cd|cmake|ctest)' said > next "
      "&& sh -e ./next";
  const Ran built = box.run("/bin/sh", {"-c", commands});
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  const Ran ran = box.ctl({"run", (box.folder() / "triad/triad.yaml").string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("GB/s"), HasSubstr("1000000")));
}

TEST_F(Plugin, AStudyFindsItBesideItsSweepFile) {
  fs::create_directory(box.folder() / "sweeps");
  install("saxpy.so", "sweeps/saxpy.so");
  box.write("sweeps/saxpy.yaml",
            "sweep: own\nworkload: ./saxpy.so\nparams: {device: cpu, warmup: 1, steps: 3}\n"
            "matrix: {size: [1000, 2000]}\n");
  const std::string study =
      box.write("study.yaml",
                "study: kernels\ntitle: Kernels\nscales: {here: {}}\n"
                "chapters: [{title: Saxpy, parts: [{file: sweeps/saxpy.yaml}]}]\n");
  const Ran ran = box.ctl({"study", study, "-o", (box.folder() / "out").string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  std::ifstream page(box.folder() / "out/writeup.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(text, AllOf(HasSubstr("1000"), HasSubstr("2000"), HasSubstr("add (ms)")));
}

TEST_F(Plugin, NewWorkloadWritesAFolderOnce) {
  const auto make = [&](const std::string& words) {
    return box.run("/bin/sh", {"-c", "cd '" + box.folder().string() +
                                         "' && '" SWEEPCTL "' new-workload " + words});
  };
  const struct {
    const char *words, *file;
  } rows[] = {{"mine", "mine/mine.cpp"},
              {"gpu --cuda", "gpu/gpu.cu"},
              {"with_torch --torch", "with_torch/with_torch_test.cpp"}};
  for (const auto& [words, file] : rows) {
    EXPECT_EQ(make(words).exit_code, 0);
    std::ifstream written(box.folder() / file);
    const std::string text{std::istreambuf_iterator<char>(written), {}};
    EXPECT_THAT(text, testing::Not(HasSubstr("@NAME@"))) << file;
    EXPECT_GT(text.size(), 500U) << file;
  }
  EXPECT_THAT(make("mine").err, HasSubstr("mine: exists already"));
  EXPECT_THAT(make("My-Kernel").err, HasSubstr("`My-Kernel` is not a name"));
  EXPECT_THAT(make("both --cuda --torch").err, HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace sweepd::e2e
