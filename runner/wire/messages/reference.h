// The methods about published figures.
#pragma once

#include "runner/model/sweep/reference.h"
#include "runner/wire/message.h"

namespace sweepd::rpc {

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
    ReferenceSummary reference;
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
    std::vector<ReferenceSummary> references;
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
