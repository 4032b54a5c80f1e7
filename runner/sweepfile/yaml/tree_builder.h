// Builds the tree of a document from yaml-cpp's events, and stops at a limit.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runner/sweepfile/yaml/load.h"

namespace sweepd::sweepfile {

// Thrown through yaml-cpp, which cannot be stopped otherwise, after the mistake has been reported.
// Caught in load.cpp.
struct LimitExceeded {};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, Reporter& report) : source_(source), report_(report) {}

  NodePtr take() { return std::move(root_); }
  Mark document_mark() const { return document_mark_; }
  // The innermost `[` or `{` that is still open, which a syntax error at the end of a file is
  // about.
  const Mark* open_flow() const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    bool flow = false;
    NodePtr key;                         // key of the entry whose value comes next
    std::map<std::string, Mark> keys{};  // to find duplicates
  };

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style);
  void close();
  void add(Node node, YAML::anchor_t anchor);
  void add_entry(Frame& frame, NodePtr value);
  void check_tag(const Mark& mark, const std::string& tag);
  void check_key(const Node& key);

  const SourceText& source_;
  Reporter& report_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  Mark document_mark_;
  // Totals over all documents of the file.
  std::size_t alias_nodes_ = 0;
  std::size_t alias_text_bytes_ = 0;
};

}  // namespace sweepd::sweepfile
