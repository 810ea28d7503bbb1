"use strict";

// All that a table, a story or a chart says is in the page already: this script searches, and shows what is pointed at.

const STORIES_AT_ONCE = 20;

function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function browse(browser) {
  const { systems, stories } = JSON.parse(browser.querySelector("script").textContent);
  const form = browser.querySelector("form");
  const found = browser.querySelector(".found");
  const list = browser.querySelector(".stories");
  const more = browser.querySelector("button");
  const fields = form.elements;
  const texts = stories.map(([, context, endings]) =>
    [context, ...endings.map(([, text]) => text)].join("\n").toLowerCase());
  let matching = [];
  let shown = 0;

  // The remark on an ending is such as "positive, 0.62", or empty where its sentiment was not measured.
  const word = (remark) => remark.split(",")[0];

  function endingOf([system, text, remark]) {
    const shown = element("dd", "", text);
    if (remark) shown.append(" ", element("span", `aside ${word(remark)}`, remark));
    return element("div", "", element("dt", "", systems[system]), shown);
  }

  function show() {
    for (const place of matching.slice(shown, shown + STORIES_AT_ONCE)) {
      const [id, context, endings] = stories[place];
      const ofSystem = (ending) => !fields.system.value || ending[0] === 0 || ending[0] === Number(fields.system.value);
      list.append(element("article", "story",
        element("p", "id", id),
        element("p", "context", context),
        element("dl", "", ...endings.filter(ofSystem).map(endingOf))));
    }
    shown = Math.min(shown + STORIES_AT_ONCE, matching.length);
    more.hidden = shown === matching.length;
    found.textContent = matching.length
      ? `${matching.length.toLocaleString("en")} of ${stories.length.toLocaleString("en")} stories; ` +
        `the first ${shown.toLocaleString("en")} are shown.`
      : "No story has all of this.";
  }

  // A story is shown when its text has all the words, and an ending of the system has the sentiment.
  function search() {
    const words = fields.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { system, sentiment, unlike } = fields;
    matching = stories.flatMap(([, , endings], place) => {
      const first = endings.find((ending) => ending[0] === 0);
      const suits = endings.some((ending) =>
        (!system.value || ending[0] === Number(system.value)) &&
        (!sentiment.value || word(ending[2]) === sentiment.value) &&
        (!unlike.checked || (first && word(ending[2]) !== word(first[2]))));
      return suits && words.every((each) => texts[place].includes(each)) ? [place] : [];
    });
    shown = 0;
    list.replaceChildren();
    show();
  }

  form.hidden = false;
  form.addEventListener("input", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", show);
  search();
}

// Parts of a chart that have a title, such as the arcs of a sunburst: it is shown below the chart when they are pointed
// or tapped at.
function point(picture) {
  const parts = [...picture.querySelectorAll("svg g > title, svg path > title")].map((title) => title.parentNode);
  if (!parts.length) return;
  const line = element("p", "pointed", "Point or tap at a part to read what it is.");
  line.setAttribute("aria-live", "polite");
  picture.querySelector("figcaption").before(line);
  for (const part of parts) {
    const show = () => { line.textContent = part.querySelector("title").textContent; };
    part.addEventListener("pointerenter", show);
    part.addEventListener("click", show);
  }
}

document.querySelectorAll(".browser").forEach(browse);
document.querySelectorAll(".picture").forEach(point);
