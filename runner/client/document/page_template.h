// The page around a document's chapters, and its script. Mustache: {{x}} is escaped, {{{x}}} is
// HTML already.
#pragma once

#include <string_view>

namespace sweepd {

// Sorts a table by the column whose head is clicked, or chosen with Enter, and hides the rows
// that lack a word of its filter. Words come after numbers in both directions.
inline constexpr std::string_view kPageScript = R"js(
"use strict";
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const key = (row, column) => {
    const cell = row.cells[column], value = cell.dataset.v;
    return value === undefined ? cell.textContent : Number(value);
  };
  const sort = (head, column) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = (a, b) => {
      const x = key(a, column), y = key(b, column);
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const sign = typeof x === "number" ? x - y : x.localeCompare(y, undefined, {numeric: true});
      return up ? sign : -sign;
    };
    body.append(...[...rows].sort(order));
  };
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head, column));
    head.addEventListener("keydown", event => {
      if (event.key === "Enter") sort(head, column);
    });
  });
  if (rows.length < 6) continue;
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "filter rows";
  box.setAttribute("aria-label", "filter rows");
  table.before(box);
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(word => word !== "");
    for (const row of rows) {
      const text = [...row.cells].map(cell => cell.textContent.toLowerCase()).join(" ");
      row.hidden = !words.every(word => text.includes(word));
    }
  });
}
// Paper can be clicked nowhere, so folds are open on it.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.classList.add("opened");
  }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details.opened")) {
    fold.open = false;
    fold.classList.remove("opened");
  }
});
)js";

inline constexpr std::string_view kChapterTemplate = R"(<section id="{{id}}">
<h2>{{title}}</h2>
{{{body}}}</section>
)";

inline constexpr std::string_view kPageTemplate = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{{nonce}}'">
{{#changes}}<meta http-equiv="refresh" content="5">
{{/changes}}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
{{{style}}}
</style>
</head>
<body>
<header>
<div class="about">
<h1>{{title}}</h1>
{{{introduction}}}
{{{findings}}}</div>
{{{lead}}}</header>
<div class="columns">
<nav>
<ol>
{{#contents}}
<li><a href="#{{id}}">{{title}}</a></li>
{{/contents}}
</ol>
</nav>
<main>
{{{chapters}}}</main>
</div>
{{{stories}}}
<script nonce="{{nonce}}">{{{script}}}</script>
</body>
</html>
)";

}  // namespace sweepd
