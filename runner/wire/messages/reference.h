// The methods about published figures.
#pragma once

#include "runner/wire/message.h"

namespace sweepd::rpc {

struct ReferenceEntry {
  static constexpr std::string_view kTitle = "a reference";
  std::string name, description;
  WallTime added;
  std::int64_t rows = 0, shown = 0, doubted = 0;
  std::vector<std::string> sources;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("description", self.description, "");
    field("added_ns", self.added, "since 1970");
    field("rows", self.rows, "figures");
    field("shown", self.shown, "of these, those of a workload, which tables can show");
    field("doubted", self.doubted, "those with something known to be wrong");
    field("sources", self.sources, "the value of `source` in tables");
  }
};

struct ReferenceAdd {
  static constexpr std::string_view kName = "reference_add";
  struct Request {
    std::string rows, rows_file = "<request>", mapping, mapping_file = "<mapping>", name;
    static void visit(auto& self, auto&& field) {
      field("rows", self.rows, "CSV", Required());
      field("rows_file", self.rows_file, "for messages");
      field("mapping", self.mapping, "YAML, schemas/reference.md");
      field("mapping_file", self.mapping_file, "for messages");
      field("name", self.name, "if the mapping has none");
    }
  };
  struct Reply {
    ReferenceEntry reference;
    static void visit(auto& self, auto&& field) {
      field("reference", self.reference, "it replaces one of this name");
    }
  };
};

struct ReferenceList {
  static constexpr std::string_view kName = "reference_list";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    std::vector<ReferenceEntry> references;
    static void visit(auto& self, auto&& field) { field("references", self.references, "by name"); }
  };
};

struct ReferenceRemove {
  static constexpr std::string_view kName = "reference_remove";
  struct Request {
    std::string name;
    static void visit(auto& self, auto&& field) { field("name", self.name, "", Required()); }
  };
  struct Reply {
    std::int64_t rows = 0;
    static void visit(auto& self, auto&& field) { field("rows", self.rows, "removed"); }
  };
};

}  // namespace sweepd::rpc
