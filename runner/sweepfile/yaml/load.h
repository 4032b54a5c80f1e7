// Turns text into one tree per document. All protection of this layer from a hostile or broken file
// is here: size, encoding, depth, alias expansion, YAML syntax, duplicate keys.
#pragma once

#include <string>
#include <vector>

#include "runner/sweepfile/yaml/node.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxAliasNodes = 10'000;
constexpr std::size_t kMaxAliasTextBytes = std::size_t{1} << 20;

struct Document {
  NodePtr root;
  std::string source;  // from its first line to the next document's `---`
};

// Returns the documents up to the first mistake after which YAML cannot continue, without empty
// ones (a trailing `---`). Mistakes go to the reporter.
std::vector<Document> load_documents(const SourceText& source, Reporter& report);

}  // namespace sweepd::sweepfile
