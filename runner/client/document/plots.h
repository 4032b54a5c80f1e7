// The plots of a document, as pictures.
#pragma once

#include <string>
#include <vector>

#include "runner/client/document/document.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/model/sweep/plot.h"

namespace sweepd {

class DocumentPlots {
 public:
  // Draws the plot, with the warnings about its figures.
  DocumentBlock add(const std::string& sweep, const Plot& plot);

  // The same of a timeline of live memory.
  std::string add_timeline(const std::string& title, const MemoryPicture& picture);

  // The pictures of all plots so far, each with its own file name.
  std::vector<DocumentPicture> take() { return std::move(pictures_); }

 private:
  std::string name_for(const std::string& sweep, const std::string& title) const;

  std::vector<DocumentPicture> pictures_;
};

}  // namespace sweepd
