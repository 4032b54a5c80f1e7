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

struct Plugin {
  std::string file, source;
};

void read_plugins(const sweepfile::ConfigContext& context, const Node& node,
                  std::vector<Plugin>& plugins) {
  if (!sweepfile::expect_list(context.report, "plugins", "a list of files", node)) return;
  for (const sweepfile::NodePtr& item : node.items) {
    const auto text = sweepfile::read_text(context.report, "plugins", *item);
    if (!text) continue;
    auto path = sweepfile::expand_path(context, "plugins", *item, *text);
    if (!path) continue;
    if (!path->starts_with('/')) {
      context.report.error(item->mark,
                           fmt::format("plugins: `{}` is not an absolute path; expected a shared "
                                       "library or a source file",
                                       sweepfile::shown(*path)));
      continue;
    }
    plugins.push_back({std::move(*path), fmt::format("{}:{}", context.file, item->mark.line)});
  }
}

// What the files say, the later ones over the earlier.
struct Found {
  std::vector<ReadPool> pools;
  Compact compact;
  std::vector<Plugin> plugins;
};

void read_file(const ConfigText& text, const EnvironmentOf& environment, Found& found,
               std::vector<Diagnostic>& errors) {
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
          {{"pools",
            [&](const Node&, const Node& value) { read_pools(context, value, found.pools); }},
           {"compact",
            [&](const Node&, const Node& value) { read_compact(context, value, found.compact); }},
           {"plugins",
            [&](const Node&, const Node& value) { read_plugins(context, value, found.plugins); }}});
    }
  }
  std::vector<Diagnostic> mistakes = report.take();
  std::move(mistakes.begin(), mistakes.end(), std::back_inserter(errors));
}

}  // namespace

ParsedConfig parse_config(const std::vector<ConfigText>& texts, const EnvironmentOf& environment) {
  Found found{std::vector<ReadPool>(1), {}, {}};
  found.pools.front().pool.name = kLocalPool;
  found.pools.front().values.push_back(sweepfile::local_value(sweepfile::kSourceOfDefaults));
  ParsedConfig parsed;
  for (const ConfigText& text : texts) read_file(text, environment, found, parsed.errors);
  parsed.config.pools.clear();
  for (ReadPool& read : found.pools) {
    parsed.config.pools.push_back(std::move(read.pool));
    std::move(read.values.begin(), read.values.end(), std::back_inserter(parsed.config.values));
  }
  parsed.config.compact_older = found.compact.older;
  parsed.config.values.push_back({"compact.older", found.compact.text, found.compact.source});
  for (Plugin& plugin : found.plugins) {
    parsed.config.values.push_back({"plugins", plugin.file, std::move(plugin.source)});
    parsed.config.plugins.push_back(std::move(plugin.file));
  }
  return parsed;
}

}  // namespace sweepd
