// The two sides of `compare`: what the user chose, in our database or in others.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "db/query/query.h"
#include "db/upkeep/database_copy.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/report/compare/comparison.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

// The database of one side of a comparison: our own, or another one, which is only read. It may be
// in use by its own daemon. One of an older version, of another catalog or on a read-only medium is
// copied into the folder for temporary files first.
class SideDatabase {
 public:
  // `file` is absolute; "" is our own database, which `ours` reads and which must outlive this.
  // Errors: those of DatabaseCopy::make.
  static Result<SideDatabase> open(Reader& ours, const Catalog& catalog, const std::string& file);

  Reader& reader() const { return other_ ? *other_ : *ours_; }
  const Catalog& catalog() const { return catalog_; }          // with the programs of this database
  const std::filesystem::path& file() const { return file_; }  // "" for our own
  // Finds a sweep; the error names the file of another database.
  Result<SweepRow> find_sweep(const std::string& who) const;

 private:
  SideDatabase(Reader& ours, Catalog catalog, std::filesystem::path file)
      : ours_(&ours), catalog_(std::move(catalog)), file_(std::move(file)) {}

  Reader* ours_;
  Catalog catalog_;
  std::filesystem::path file_;
  std::optional<DatabaseCopy> copy_;  // outlives the reader
  std::unique_ptr<Reader> other_;
};

struct Sides {
  QuerySpec a, b;
  std::string name_a, name_b;
  std::string asked = {};  // the name by which the user told them apart
};

// Errors name what cannot be compared.
Result<Sides> sides_of(const SideDatabase& of_a, const SideDatabase& of_b,
                       const rpc::Compare::Request& request);

// Reads the results of `query`, with their machines. If there are none because no result is from
// the host or device of its filter `asked` (`host`, `device_name`), the error names the existing
// ones.
Result<ComparedSide> read_side(Reader& reader, std::string name, const QuerySpec& query,
                               const std::string& asked);

// Captions the table with the properties that both sides share. The notes name the differences.
Result<void> caption_both(const SideDatabase& of_a, const SideDatabase& of_b, const Sides& sides,
                          Table& table);

// Compares the kernels of the sides, whose queries are those of `kernel_time`.
Result<rpc::Compare::Reply> compare_profiles(const SideDatabase& of_a, const SideDatabase& of_b,
                                             const Sides& sides, double tolerance);

// The answer to `compare`.
Result<rpc::Compare::Reply> answer_compare(Reader& reader, const Catalog& catalog,
                                           rpc::Compare::Request request);

}  // namespace sweepd
