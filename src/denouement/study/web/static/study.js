// The pages work without this file. It adds: keys that choose, drafts that outlive a reload, answers sent once
// however often the button is pressed, and answers sent again when the connection comes back.
"use strict";

const form = document.querySelector("form.question");
const draft = `draft ${form.action} ${form.elements.assignment.value}`;
const isBack = form.action.endsWith("/back"); // to the last answer, while another question waits
let sending = false;

document.documentElement.classList.add("scripted");

// What a person chose and typed is kept in this tab until it is sent; a draft of another question is out of date.
function entered() {
  return [...new FormData(form)].filter(([name]) => name !== "form" && name !== "assignment");
}
for (const name of Object.keys(sessionStorage)) {
  if (name.startsWith("draft ") && name !== draft && !isBack) sessionStorage.removeItem(name);
}
// A page whose drafts the server keeps, too, says when it was edited: the newest draft is shown.
const edited = (fields) => Number(fields?.find(([name]) => name === "edited")?.[1] ?? 0);
const kept = JSON.parse(sessionStorage.getItem(draft) ?? "null");
const before = edited(kept) < edited(entered()) ? null : kept;
for (const field of before ? form.elements : []) {
  const values = before.filter(([name]) => name === field.name).map(([, value]) => value);
  if (field.type === "radio" || field.type === "checkbox") field.checked = values.includes(field.value);
  else if (field.matches("textarea, select, input:not([type=hidden]), input.kept")) field.value = values[0] ?? "";
}
form.addEventListener("input", keep);

function keep() {
  sessionStorage.setItem(draft, JSON.stringify(entered()));
}

// A page that the back button brings back from memory may show a question answered since.
addEventListener("pageshow", (event) => event.persisted && location.reload());

const places = [...form.querySelectorAll("select")];

// A digit gives the sentence that has the focus, or the first without a place, that place; whether it did.
function place(key, focused) {
  const select = places.includes(focused) ? focused : (places.find((each) => !each.value) ?? places.at(-1));
  if (!key || ![...select.options].some((option) => option.value === key)) return false;
  select.value = key;
  keep();
  (places[places.indexOf(select) + 1] ?? select).focus();
  return true;
}

// People who dictate, or rest a hand on the keyboard, may turn the keys off.
const keys = document.getElementById("keys");
keys.checked = localStorage.getItem("keys") !== "off";
keys.addEventListener("change", () => localStorage.setItem("keys", keys.checked ? "on" : "off"));

document.addEventListener("keydown", (event) => {
  if (event.isComposing || !keys.checked) return;
  if (event.target.matches("textarea, input:not([type=radio], [type=checkbox])")) {
    if (event.key === "Escape") form.querySelector("button").focus();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const named = document.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key.toUpperCase())}"]`);
  if (named) {
    event.preventDefault();
    if (named.matches("textarea")) named.focus();
    else named.click();
    return;
  }
  if (places.length) {
    if (place(event.key, event.target)) {
      event.preventDefault();
    } else if (event.key === "Enter" && (event.target === document.body || event.target.matches("select"))) {
      event.preventDefault();
      form.requestSubmit();
    }
    return;
  }
  const inputs = [...form.querySelectorAll("input[type=radio]")];
  const groups = [...new Set(inputs.map((each) => each.name))].map((name) => inputs.filter((each) => each.name === name));
  const group =
    groups.find((each) => each.includes(document.activeElement)) ??
    groups.find((each) => !each.some((input) => input.checked)) ??
    groups.at(-1);
  const choice = group?.find((each) => each.dataset.key === event.key);
  if (choice) {
    choice.checked = true;
    choice.dispatchEvent(new Event("input", { bubbles: true })); // as if it was clicked
    choice.focus();
    event.preventDefault();
    const next = groups[groups.indexOf(group) + 1];
    if (next && !next.some((input) => input.checked)) next[0].focus();
  } else if (event.key === "Enter" && event.target === document.body) {
    form.requestSubmit();
  }
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (sending) return;
  sending = true;
  form.querySelector("button").setAttribute("aria-disabled", "true");
  const { name, value } = event.submitter ?? {};
  if (name) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value })); // "skip"
  send(new URLSearchParams(new FormData(form)));
});

// Words to mark: the mouse marks all that it is dragged over, and arrow keys go from one to the next.
const marks = [...form.querySelectorAll(".mark input")];
let dragged = null; // the number of the word at which the button went down

document.addEventListener("mouseup", () => { dragged = null; });

for (const [number, mark] of marks.entries()) {
  mark.tabIndex = number ? -1 : 0; // one stop for Tab, not a hundred
  mark.parentElement.addEventListener("mousedown", () => { dragged = number; });
  mark.parentElement.addEventListener("mouseenter", () => {
    if (dragged === null) return;
    const [first, last] = dragged < number ? [dragged, number] : [number, dragged];
    for (const each of marks.slice(first, last + 1)) each.checked = true;
    keep();
  });
  mark.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    marks[number + step]?.focus();
  });
  mark.addEventListener("focus", () => {
    for (const each of marks) each.tabIndex = each === mark ? 0 : -1;
  });
}

async function send(fields) {
  const notice = document.getElementById("connection");
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "application/json" } });
    if (response.status === 429 || response.status >= 500) throw new Error("not now");
    notice.hidden = true;
    if (response.ok) {
      const { next, refused } = await response.json();
      if (!refused) sessionStorage.removeItem(draft);
      location.assign(next);
    } else {
      form.submit(); // refused: let the browser show the page that says why
    }
  } catch {
    notice.hidden = false;
    setTimeout(send, 3000, fields);
  }
}
