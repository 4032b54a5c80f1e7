// The files of `sweepctl new-workload`: those of packaging/new_workload, of which the build makes
// new_workload_files.cpp (cmake/new_workload_files.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace sweepd {

struct TemplateFile {
  std::string_view kind;  // "plain", "cuda", "torch"; "common" to all
  std::string_view name;  // NAME in it stands for the workload's name, @NAME@ in the text
  std::string_view text;
};

const std::vector<TemplateFile>& template_files();

}  // namespace sweepd
