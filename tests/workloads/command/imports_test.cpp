#include "workloads/command/imports.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/worker/temp_folder.h"

namespace sweepd::command {
namespace {

using testing::ElementsAre;

TEST(ImportedNames, FollowThePythonGrammar) {
  EXPECT_THAT(imported_names("import os, model.gpt as g  # comment\n"
                             "from model import Block, (\n"
                             "x = 1\n"),
              testing::Contains("model.gpt"));
  EXPECT_THAT(imported_names("import a; b = 2\n"), ElementsAre("a"));
  EXPECT_THAT(imported_names("from pack.mod import (\n    One,\n    Two as T,\n)\n"),
              ElementsAre("pack.mod", "pack.mod.One", "pack.mod.Two"));
  EXPECT_THAT(imported_names("    from . import near\n"), ElementsAre(".", ".near"));
  EXPECT_THAT(imported_names("from ..up import thing\n"), ElementsAre("..up", "..up.thing"));
  EXPECT_THAT(imported_names("from a import b, \\\n  c\n"), ElementsAre("a", "a.b", "a.c"));
  EXPECT_THAT(imported_names("important = 1\nfromage = 2\n\"\"\"\nfrom here to there\n\"\"\"\n"),
              ElementsAre());
}

TEST(ImportedFiles, AreThoseBelowTheScriptsFolder) {
  const TempFolder box;
  const std::filesystem::path folder = box.path();
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  write("train.py",
        "import torch, model\nfrom data import loader\nif False:\n    import missing, train\n");
  write("model.py", "from layers.block import Block\nimport train\n");
  write("layers/__init__.py", "");
  write("layers/block.py", "from . import norm\nfrom .attention import A\n");
  write("layers/norm.py", "");
  write("layers/attention.py", "");
  write("data/loader.py", "");  // a namespace package
  write("unused.py", "");
  std::vector<std::string> names;
  for (const auto& file : imported_files(folder / "train.py")) {
    names.push_back(file.lexically_relative(folder).string());
  }
  EXPECT_THAT(names, ElementsAre("data/loader.py", "layers/__init__.py", "layers/attention.py",
                                 "layers/block.py", "layers/norm.py", "model.py"));
  EXPECT_THAT(imported_files(folder / "absent.py"), ElementsAre());
}

}  // namespace
}  // namespace sweepd::command
