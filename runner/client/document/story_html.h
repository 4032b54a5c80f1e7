// The part of a page with an attempt's details: text for the stories, and the script that opens
// them.
#pragma once

#include <string>
#include <string_view>

#include "runner/client/document/document.h"

namespace sweepd {

// A template of HTML: a browser does not lay it out before it is opened.
std::string to_html(const DocumentStory& story);

// Opens the stories of the attempts behind a figure that is clicked, or chosen with Enter, and
// draws their samples.
inline constexpr std::string_view kStoryScript = R"js(
{
  const story = id => document.getElementById("story-" + id);
  const draw = dots => {
    const warmup = JSON.parse(dots.dataset.warmup), measured = JSON.parse(dots.dataset.measured);
    const all = measured.length > 0 ? measured : warmup;
    const least = Math.min(...all), most = Math.max(...all);
    const lines = (values, style) => values.map(value => {
      const x = most > least ? 10 + 980 * (value - least) / (most - least) : 500;
      // A warm-up step may take many times as long.
      return x < 0 || x > 1000 ? "" : `<line x1="${x}" x2="${x}" y1="6" y2="34" stroke-width="2" ${style}/>`;
    }).join("");
    dots.insertAdjacentHTML("beforeend", `<svg viewBox="0 0 1000 40" preserveAspectRatio="none">` +
        lines(warmup, `stroke="#e08a2e" stroke-dasharray="3 3"`) + lines(measured, `stroke="#3b82f6" stroke-opacity=".7"`) +
        `</svg>`);
    const short = value => String(Number(value.toPrecision(4)));
    const words = document.createElement("figcaption");
    words.textContent = `${dots.dataset.name}: ${measured.length} samples` +
        (dots.dataset.of > measured.length ? ` of ${dots.dataset.of}` : "") +
        ` from ${short(least)} to ${short(most)}` + (warmup.length > 0 ? `, and ${warmup.length} of warm-up (dashed)` : "");
    dots.prepend(words);
  };
  const open = ids => {
    const dialog = document.createElement("dialog"), close = document.createElement("button");
    close.textContent = "close";
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
    dialog.append(close);
    const told = new Set();
    for (const id of ids) {
      for (const each of [id, ...story(id).dataset.also.split(" ")]) {
        if (each === "" || told.has(each) || story(each) === null) continue;
        told.add(each);
        dialog.append(story(each).content.cloneNode(true));
      }
    }
    dialog.querySelectorAll(".dots").forEach(draw);
    document.body.append(dialog);
    dialog.showModal();
  };
  for (const cell of document.querySelectorAll("td[data-a]")) {
    const ids = cell.dataset.a.split(" ").filter(id => story(id) !== null);
    if (ids.length === 0) continue;
    cell.classList.add("story");
    cell.tabIndex = 0;
    cell.addEventListener("click", () => open(ids));
    cell.addEventListener("keydown", event => { if (event.key === "Enter") open(ids); });
  }
}
)js";

}  // namespace sweepd
