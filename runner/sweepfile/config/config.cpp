#include "runner/sweepfile/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/sweepfile/config/config_pool.h"
#include "runner/sweepfile/yaml/load.h"
#include "runner/sweepfile/yaml/utf8.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd {
namespace {

using sweepfile::Node;
using sweepfile::ReadPool;

void read_pools(const sweepfile::ConfigContext& context, const Node& node,
                std::vector<ReadPool>& pools) {
  if (!sweepfile::expect_map(context.report, "pools", node)) return;
  for (const Node::Entry& entry : node.entries) {
    ReadPool read = sweepfile::read_pool(context, *entry.key, *entry.value);
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

struct Compact {
  std::optional<Duration> older = kCompactOlder;
  std::string text = "30d";  // as it is written
  std::string source = sweepfile::kSourceOfDefaults;
};

constexpr const char* kNever = "never";

void read_older(const sweepfile::ConfigContext& context, const Node& node, Compact& compact) {
  const auto text = sweepfile::read_text(context.report, "older", node);
  if (!text) return;
  compact.source = fmt::format("{}:{}", context.file, node.mark.line);
  compact.text = *text;
  compact.older.reset();
  if (*text == kNever) return;
  const auto older = parse_duration(*text);
  if (older) {
    compact.older = *older;
  } else {
    context.report.error(node.mark,
                         fmt::format("older: `{}` is not a duration; expected one such as 30d, or "
                                     "`{}`",
                                     sweepfile::shown(*text), kNever));
  }
}

void read_compact(const sweepfile::ConfigContext& context, const Node& node, Compact& compact) {
  if (!sweepfile::expect_map(context.report, "compact", node)) return;
  sweepfile::read_fields(
      context.report, "compact", node,
      {{"older", [&](const Node&, const Node& value) { read_older(context, value, compact); }}});
}

void read_file(const ConfigText& text, const EnvironmentOf& environment,
               std::vector<ReadPool>& pools, Compact& compact, std::vector<Diagnostic>& errors) {
  const sweepfile::SourceText source(sweepfile::without_byte_order_mark(text.text));
  sweepfile::Reporter report(source, text.file);
  const sweepfile::ConfigContext context{report, text.file, environment};
  const std::vector<sweepfile::Document> documents = sweepfile::load_documents(source, report);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Node& root = *documents[i].root;
    if (i > 0) {
      report.error(root.mark, "a configuration is one document", "remove the line `---` before it");
    } else if (sweepfile::expect_map(report, "a configuration", root)) {
      sweepfile::read_fields(
          report, "the configuration", root,
          {{"pools", [&](const Node&, const Node& value) { read_pools(context, value, pools); }},
           {"compact",
            [&](const Node&, const Node& value) { read_compact(context, value, compact); }}});
    }
  }
  std::vector<Diagnostic> found = report.take();
  std::move(found.begin(), found.end(), std::back_inserter(errors));
}

}  // namespace

ParsedConfig parse_config(const std::vector<ConfigText>& texts, const EnvironmentOf& environment) {
  std::vector<ReadPool> pools(1);
  pools.front().pool.name = kLocalPool;
  pools.front().values.push_back(sweepfile::local_value(sweepfile::kSourceOfDefaults));
  Compact compact;
  ParsedConfig parsed;
  for (const ConfigText& text : texts) read_file(text, environment, pools, compact, parsed.errors);
  parsed.config.pools.clear();
  for (ReadPool& read : pools) {
    parsed.config.pools.push_back(std::move(read.pool));
    std::move(read.values.begin(), read.values.end(), std::back_inserter(parsed.config.values));
  }
  parsed.config.compact_older = compact.older;
  parsed.config.values.push_back({"compact.older", compact.text, compact.source});
  return parsed;
}

}  // namespace sweepd
