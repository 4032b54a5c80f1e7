// The script of a page's tooltips: under the mouse, at the keyboard's focus, or at a tap.
#pragma once

#include <string_view>

namespace sweepd {

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
    // What a browser would show by itself is kept elsewhere.
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

}  // namespace sweepd
