// The elements of an SVG. Texts are escaped here; styles are attributes that our own code wrote.
#pragma once

#include <string>
#include <string_view>

namespace sweepd::report {

// "12.5", "12": a coordinate.
std::string pixels(double value);
// About how wide a text is in letters of this size.
double text_width(std::string_view text, double size);
// The text, or its beginning and "…" if it is wider than `most`.
std::string shortened(const std::string& text, double size, double most);
// The colours of series, again from the first after the last.
std::string series_color(std::size_t index);

struct SvgTextStyle {
  const char* anchor = "start";  // "middle", "end"
  const char* kind = "";         // a class: "title", "small", "strong"
  std::string fill = "";         // "" is the colour of the page's text
  double angle = 0;              // degrees, around its place
};

class SvgPaper {
 public:
  void text(double x, double y, std::string_view text, const SvgTextStyle& style = {});
  // `style`: "class=\"grid\"". `tip` is shown where the mouse rests on the element.
  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void rect(double x, double y, double width, double height, const std::string& style,
            const std::string& tip = "");
  void path(const std::string& data, const std::string& style, const std::string& tip = "");
  // A dot that is easier to hit than it is large.
  void dot(double x, double y, const std::string& color, const std::string& tip);

  // The whole picture, as a part of a page: without a namespace and a background.
  std::string finish(double width, double height, const std::string& label) const;

 private:
  void element(std::string_view name, const std::string& attributes, const std::string& tip);

  std::string body_;
};

}  // namespace sweepd::report
