#include "runner/sweepfile/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/sweepfile/config_pool.h"
#include "runner/sweepfile/load.h"
#include "runner/sweepfile/utf8.h"
#include "runner/sweepfile/values.h"

namespace sweepd {
namespace {

using spec::Node;
using spec::ReadPool;

void read_pools(const spec::ConfigContext& context, const Node& node,
                std::vector<ReadPool>& pools) {
  if (!spec::expect_map(context.report, "pools", node)) return;
  for (const Node::Entry& entry : node.entries) {
    ReadPool read = spec::read_pool(context, *entry.key, *entry.value);
    const auto known = std::find_if(pools.begin(), pools.end(), [&](const ReadPool& pool) {
      return pool.pool.name == read.pool.name;
    });
    if (known == pools.end()) {
      pools.push_back(std::move(read));
    } else {
      *known = std::move(read);
    }
  }
}

void read_file(const ConfigText& text, const EnvironmentOf& environment,
               std::vector<ReadPool>& pools, std::vector<Diagnostic>& errors) {
  const spec::SourceText source(spec::without_byte_order_mark(text.text));
  spec::Reporter report(source, text.file);
  const spec::ConfigContext context{report, text.file, environment};
  const std::vector<spec::Document> documents = spec::load_documents(source, report);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Node& root = *documents[i].root;
    if (i > 0) {
      report.error(root.mark, "a configuration is one document", "remove the line `---` before it");
    } else if (spec::expect_map(report, "a configuration", root)) {
      spec::read_fields(
          report, "the configuration", root,
          {{"pools", [&](const Node&, const Node& value) { read_pools(context, value, pools); }}});
    }
  }
  std::vector<Diagnostic> found = report.take();
  std::move(found.begin(), found.end(), std::back_inserter(errors));
}

}  // namespace

ParsedConfig parse_config(const std::vector<ConfigText>& texts, const EnvironmentOf& environment) {
  std::vector<ReadPool> pools(1);
  pools.front().pool.name = kLocalPool;
  pools.front().values.push_back(spec::local_value(spec::kSourceOfDefaults));
  ParsedConfig parsed;
  for (const ConfigText& text : texts) read_file(text, environment, pools, parsed.errors);
  parsed.config.pools.clear();
  for (ReadPool& read : pools) {
    parsed.config.pools.push_back(std::move(read.pool));
    std::move(read.values.begin(), read.values.end(), std::back_inserter(parsed.config.values));
  }
  return parsed;
}

}  // namespace sweepd
