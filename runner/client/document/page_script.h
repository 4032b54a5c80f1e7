// The scripts of a page: its tables, its tooltips, and the stories of its attempts.
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

// The script of tooltips: under the mouse, at the keyboard's focus, or at a tap.
// A cell's tooltip has its figure's title and the meaning of its marks: why its attempts are
// marked, or the notes that begin with the mark. A plot's mark has its point's. Without the
// script a browser shows titles by itself, and notes stand below the table.
inline constexpr std::string_view kTipScript = R"js(
{
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.role = "tooltip";
  const hide = () => tip.remove();
  const reasons = cell => (cell.dataset.a ?? "").split(" ").filter(id => id !== "")
      .map(id => document.getElementById("story-" + id)?.content.querySelector(".why")?.textContent ?? "")
      .filter((why, at, all) => why !== "" && all.indexOf(why) === at).slice(0, 3);
  const notes = cell => {
    const list = cell.closest("figure").querySelectorAll("ul.notes > li");
    return (cell.dataset.m ?? "").split(" ").filter(place => place !== "").map(place => list[place].textContent);
  };
  const text = place => {
    // Keep titles in data-tip: a browser shows its own tooltip for them.
    const title = place.querySelector(":scope > title");
    if (place.title || title) place.dataset.tip = place.title || title.textContent;
    place.removeAttribute?.("title");
    title?.remove();
    const told = [place.dataset.tip ?? ""];
    if (place.matches("td")) {
      const said = notes(place), why = reasons(place);
      const mark = place.querySelector(".mark")?.textContent ?? "";
      told.push(...(said.length > 1 && why.length > 0 ? why.map(each => `${mark} ${each}`.trim()) : said));
    }
    return told.filter(line => line !== "").join("\n");
  };
  const show = (place, x, y) => {
    const words = text(place);
    if (words === "") return;
    tip.textContent = words;
    (place.closest("dialog") ?? document.body).append(tip);
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
  };
  const tells = event => event.target.closest?.("td[title], td[data-m], td[data-tip], svg.plot :has(> title), svg.plot [data-tip]");
  document.addEventListener("pointerover", event => {
    const place = tells(event);
    if (place) show(place, event.clientX, event.clientY); else hide();
  });
  document.addEventListener("focusin", event => {
    const place = tells(event);
    if (!place) return;
    const box = place.getBoundingClientRect();
    show(place, box.left, box.bottom - 14);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, true);
  document.addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
  for (const cell of document.querySelectorAll("td[data-m]")) cell.tabIndex = 0;
}
)js";

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
