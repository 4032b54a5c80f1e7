#include "runner/sweepfile/yaml/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/units.h"

namespace sweepd::sweepfile {
namespace {

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

}  // namespace

const Mark* TreeBuilder::open_flow() const {
  return stack_.empty() || !stack_.back().flow ? nullptr : &stack_.back().node.mark;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  document_mark_ = mark_of(mark);
  stack_.clear();
  anchors_.clear();  // an anchor ends with its document
  root_ = nullptr;
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Node node;
  node.mark = mark_of(mark);
  // yaml-cpp marks a missing value at the next token, often lines below, but people look at its
  // key. A written null (`~`, `null`) keeps its own place.
  const std::size_t at = source_.offset(node.mark.line, node.mark.column);
  const char c = at < source_.text().size() ? source_.text()[at] : '\0';
  const bool written = c == '~' || c == 'n' || c == 'N';
  if (!stack_.empty() && stack_.back().key && !written) node.mark = stack_.back().key->mark;
  add(std::move(node), anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Mark here{mark.line + 1, mark.column + 1, true};
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    report_.error(here, "this alias is inside the value that it names");
    throw LimitExceeded{};
  }
  Node node = *found->second;
  node.mark = here;
  alias_nodes_ += node.nodes;
  alias_text_bytes_ += node.text_bytes;
  if (alias_nodes_ > kMaxAliasNodes || alias_text_bytes_ > kMaxAliasTextBytes) {
    report_.error(here,
                  fmt::format("aliases repeat too much of this file; at most {} values and "
                              "{} bytes of text",
                              with_thousands(kMaxAliasNodes), with_thousands(kMaxAliasTextBytes)));
    throw LimitExceeded{};
  }
  add(std::move(node), 0);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.mark = mark_of(mark);
  node.text = value;
  node.text_bytes = value.size();
  if (quote_is_open(source_, {node.mark.line, node.mark.column})) {
    report_.error(SourcePlace{node.mark.line, node.mark.column, 1}, "this quote is never closed");
    throw LimitExceeded{};
  }
  check_tag(node.mark, tag);
  add(std::move(node), anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  open(Node::Kind::kList, mark, tag, anchor, style);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  open(Node::Kind::kMap, mark, tag, anchor, style);
}

void TreeBuilder::open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  Frame frame;
  frame.node.kind = kind;
  frame.node.mark = mark_of(mark);
  frame.node.depth = 1;
  frame.anchor = anchor;
  frame.flow = style == YAML::EmitterStyle::Flow;
  check_tag(frame.node.mark, tag);
  if (stack_.size() >= static_cast<std::size_t>(kMaxDepth)) {
    report_.error(SourcePlace{frame.node.mark.line, frame.node.mark.column, 1},
                  fmt::format("nested too deeply; at most {} levels of maps and lists", kMaxDepth));
    throw LimitExceeded{};
  }
  stack_.push_back(std::move(frame));
}

void TreeBuilder::close() {
  Frame frame = std::move(stack_.back());
  stack_.pop_back();
  add(std::move(frame.node), frame.anchor);
}

void TreeBuilder::add(Node node, YAML::anchor_t anchor) {
  // Only an alias can be too deep here, because open() has stopped everything else.
  if (static_cast<int>(stack_.size()) + node.depth > kMaxDepth) {
    report_.error(node.mark, fmt::format("nested too deeply through this alias; at most {} levels "
                                         "of maps and lists",
                                         kMaxDepth));
    throw LimitExceeded{};
  }
  const auto shared = std::make_shared<const Node>(std::move(node));
  if (anchor != 0) anchors_[anchor] = shared;
  if (stack_.empty()) {
    root_ = shared;
    return;
  }
  Frame& frame = stack_.back();
  frame.node.depth = std::max(frame.node.depth, shared->depth + 1);
  frame.node.nodes += shared->nodes;
  frame.node.text_bytes += shared->text_bytes;
  if (frame.node.is_list()) {
    frame.node.items.push_back(shared);
  } else if (!frame.key) {
    check_key(*shared);
    frame.key = shared;
  } else {
    add_entry(frame, shared);
  }
}

void TreeBuilder::add_entry(Frame& frame, NodePtr value) {
  const NodePtr key = std::move(frame.key);
  frame.key = nullptr;
  if (!key->is_scalar() || key->text == "<<") return;  // reported by check_key
  const auto [first, added] = frame.keys.try_emplace(key->text, key->mark);
  if (!added) {
    report_.error(key->mark, fmt::format("`{}` is already given at line {}", shown(key->text),
                                         first->second.line));
    return;
  }
  frame.node.entries.push_back({key, std::move(value)});
}

void TreeBuilder::check_tag(const Mark& mark, const std::string& tag) {
  // yaml-cpp gives "?" for a plain value and "!" for a quoted one.
  if (tag.empty() || tag == "?" || tag == "!") return;
  report_.error(SourcePlace{mark.line, mark.column, 1},
                "tags (`!name`) are not part of sweep files",
                "write the value alone; its type follows from the parameter");
}

void TreeBuilder::check_key(const Node& key) {
  if (!key.is_scalar()) {
    report_.error(key.mark, fmt::format("a key must be a name, found {}", describe(key.kind)));
  } else if (key.text == "<<") {
    report_.error(key.mark, "merge keys (`<<`) are not part of sweep files",
                  "repeat the keys, or give a whole value a name with `&name` and use `*name`");
  }
}

}  // namespace sweepd::sweepfile
