#include "runner/sweepfile/config/config_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <type_traits>
#include <utility>

#include "runner/base/text.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

using Texts = std::vector<std::string>;

bool is_pool_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto allowed = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 32 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), allowed);
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

void read_options(Reporter& report, const std::string& name, const Node& node, Texts& out) {
  if (!expect_list(report, name, "a list of options", node)) return;
  for (const NodePtr& item : node.items) {
    const auto text = read_text(report, name, *item);
    if (!text) continue;
    if (text->size() < 2 || text->front() != '-' || !is_one_line(*text)) {
      report.error(item->mark, fmt::format("{}: `{}` is not an option; expected a text that begins "
                                           "with `-`, such as \"--constraint=nvlink\"",
                                           name, shown(*text)));
      continue;
    }
    out.push_back(*text);
  }
}

// Reads the keys that a struct describes, and remembers what each value is and where it stands.
class Keys {
 public:
  Keys(const ConfigContext& context, std::string prefix, std::vector<ConfigValue>& values)
      : context_(context), prefix_(std::move(prefix)), values_(values) {}

  template <class T, class... Limits>
  void operator()(const char* name, T& member, const char*, Limits... limits) {
    const std::size_t place = values_.size();
    fields.push_back({name, [=, this, &member](const Node&, const Node& node) {
                        read(name, member, node, limits...);
                        note(place, member, fmt::format("{}:{}", context_.file, node.mark.line));
                      }});
    values_.push_back({prefix_ + name, "", ""});
    note(place, member, kSourceOfDefaults);
  }

  std::vector<Field> fields;

 private:
  template <class T, class... Limits>
  void read(const char* name, T& member, const Node& node, Limits... limits) {
    if constexpr (std::is_same_v<T, Texts>) {
      read_options(context_.report, name, node, member);
    } else {
      ParamDef def;
      def.name = name;
      def.type = detail::value_type_of<T>();
      (detail::apply(def, limits), ...);
      const auto value = read_value(context_.report, def, node, "write one value");
      if (value) detail::from_value(*value, member);
      if constexpr (std::is_same_v<T, std::string>) {
        if (std::string_view(name) == "prologue" || is_one_line(member)) return;
        context_.report.error(node.mark, fmt::format("{}: expected one line of text", name));
      }
    }
  }

  template <class T>
  void note(std::size_t place, const T& member, std::string source) {
    ConfigValue& value = values_[place];
    value.source = std::move(source);
    if constexpr (std::is_same_v<T, Texts>) {
      value.value = join(member, " ");
    } else {
      value.value = to_text(detail::to_value(member), detail::value_type_of<T>());
    }
  }

  const ConfigContext& context_;
  std::string prefix_;
  std::vector<ConfigValue>& values_;
};

// Replaces a `~` in front, `$NAME` and `${NAME}`: one file may serve many users.
std::optional<std::string> expanded(const std::string& text, const EnvironmentOf& environment,
                                    std::string& unset) {
  std::string out;
  std::string rest = text == "~" || text.starts_with("~/") ? "$HOME" + text.substr(1) : text;
  for (std::size_t i = 0; i < rest.size();) {
    if (rest[i] != '$') {
      out += rest[i++];
      continue;
    }
    const bool braces = i + 1 < rest.size() && rest[i + 1] == '{';
    const std::size_t begin = i + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < rest.size() &&
           (std::isalnum(static_cast<unsigned char>(rest[end])) != 0 || rest[end] == '_')) {
      ++end;
    }
    unset = rest.substr(begin, end - begin);
    const auto value = unset.empty() ? std::nullopt : environment(unset);
    if (!value || (braces && (end >= rest.size() || rest[end] != '}'))) return std::nullopt;
    out += *value;
    i = end + (braces ? 1 : 0);
  }
  return out;
}

void check_runs(const ConfigContext& context, const Node& node, std::string& runs) {
  if (!node.is_scalar()) return;  // reported
  const auto path = expand_path(context, "runs", node, runs);
  if (!path) return;
  if (!path->starts_with('/')) {
    context.report.error(node.mark, fmt::format("runs: `{}` is not an absolute path; expected a "
                                                "folder that every node sees under this path",
                                                shown(*path)));
  } else {
    runs = *path;
  }
}

void read_slurm(const ConfigContext& context, const std::string& prefix, const Node& node,
                ReadPool& out) {
  SlurmPool& slurm = out.pool.slurm.emplace();
  Keys keys(context, prefix + "slurm.", out.values);
  SlurmPool::visit(slurm, keys);
  // `slurm:` with nothing below it is a pool with the cluster's defaults.
  if (node.kind == Node::Kind::kNothing) return;
  if (!expect_map(context.report, "slurm", node)) return;
  read_fields(context.report, "slurm", node, keys.fields);
  const Node* cores = value_in(node, "cpus_per_node");
  if (cores != nullptr && slurm.cpus_per_node > 0 && slurm.gpus_per_node > 0) {
    context.report.error(cores->mark,
                         "cpus_per_node: this pool has GPUs; give the cores of each GPU",
                         "write `cpus_per_gpu`");
  }
  const Node* of_gpu = value_in(node, "cpus_per_gpu");
  if (of_gpu != nullptr && slurm.cpus_per_gpu > 0 && slurm.gpus_per_node == 0) {
    context.report.error(of_gpu->mark, "cpus_per_gpu: this pool has no GPUs",
                         "write `gpus_per_node`, or `cpus_per_node`");
  }
}

void read_local(const ConfigContext& context, const Node& value) {
  if (value.kind == Node::Kind::kNothing) return;
  if (!expect_map(context.report, "local", value)) return;
  for (const Node::Entry& entry : value.entries) {
    context.report.error(entry.key->mark,
                         fmt::format("`{}`: the pool `local` is this machine as it is, and has no "
                                     "keys",
                                     shown(entry.key->text)),
                         "give a pool of a cluster another name");
  }
}

}  // namespace

std::optional<std::string> expand_path(const ConfigContext& context, const char* key,
                                       const Node& node, const std::string& text) {
  std::string unset;
  auto path = expanded(text, context.environment, unset);
  if (!path) {
    context.report.error(node.mark,
                         fmt::format("{}: `{}` names the variable `{}`, which is not set", key,
                                     shown(text), shown(unset)));
  }
  return path;
}

ConfigValue local_value(std::string source) {
  return {fmt::format("pools.{}", kLocalPool), "this machine", std::move(source)};
}

ReadPool read_pool(const ConfigContext& context, const Node& key, const Node& value) {
  ReadPool out;
  out.pool.name = key.text;
  if (!is_pool_name(key.text)) {
    context.report.error(key.mark, fmt::format("pools: `{}` is not a name; expected a letter, then "
                                               "at most 31 letters, digits, `.`, `_` or `-`",
                                               shown(key.text)));
    return out;
  }
  if (key.text == kLocalPool) {
    read_local(context, value);
    out.values.push_back(local_value(fmt::format("{}:{}", context.file, key.mark.line)));
    return out;
  }
  const std::string what = fmt::format("pool `{}`", key.text);
  if (!expect_map(context.report, what, value, "it needs `slurm` and `runs`")) return out;
  const std::string prefix = fmt::format("pools.{}.", key.text);
  const Node* slurm = value_in(value, "slurm");
  if (slurm == nullptr) {
    context.report.error(
        key.mark, fmt::format("{} needs `slurm`: only `{}` is this machine", what, kLocalPool));
  } else {
    read_slurm(context, prefix, *slurm, out);
  }
  Keys keys(context, prefix, out.values);
  PoolConfig::visit(out.pool, keys);
  keys.fields.insert(keys.fields.begin(), {"slurm", [](const Node&, const Node&) {}});
  read_fields(context.report, what, value, keys.fields);
  const Node* runs = value_in(value, "runs");
  if (runs != nullptr) {
    check_runs(context, *runs, out.pool.runs);
    for (ConfigValue& known : out.values) {
      if (known.key == prefix + "runs") known.value = out.pool.runs;
    }
  } else {
    context.report.error(key.mark, fmt::format("{} needs `runs`: a folder that its nodes see under "
                                               "the same path",
                                               what));
  }
  return out;
}

}  // namespace sweepd::sweepfile
