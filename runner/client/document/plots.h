// The plots of a document: pictures, or text where nothing draws pictures.
#pragma once

#include <string>
#include <vector>

#include "runner/client/document/document.h"
#include "runner/model/memory_picture.h"
#include "runner/model/plot.h"

namespace sweepd {

class DocumentPlots {
 public:
  // Returns the plot as markdown, with the notes that warn of its figures. Draws it, which takes
  // about a second. Fails if the plot cannot be drawn.
  Result<std::string> add(const std::string& sweep, const Plot& plot);

  // The same of a timeline of live memory.
  Result<std::string> add_timeline(const std::string& title, const MemoryPicture& picture);

  // The pictures of all plots so far, each with a file name of its own.
  std::vector<DocumentPicture> take() { return std::move(pictures_); }
  // What is missing for pictures, once a plot was text; or "".
  const std::string& why_text() const { return why_text_; }

 private:
  std::string name_for(const std::string& sweep, const std::string& title) const;
  // `text` stands in for the picture where nothing draws.
  Result<std::string> draw(const std::string& sweep, const std::string& title, std::string spec,
                           const std::string& text);

  std::vector<DocumentPicture> pictures_;
  std::string why_text_;
};

}  // namespace sweepd
