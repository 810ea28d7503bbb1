// The pages work without this file. It adds: digits that choose, drafts that outlive a reload, answers sent once
// however often the button is pressed, and answers sent again when the connection comes back.
"use strict";

const form = document.querySelector("form.question");
const draft = form.elements.assignment.value ? `draft ${form.elements.assignment.value}` : null;
const reason = form.elements.reason;
let sending = false;

document.documentElement.classList.add("scripted");
if (draft && reason && !reason.value) reason.value = sessionStorage.getItem(draft) ?? "";
if (draft && reason) reason.addEventListener("input", () => sessionStorage.setItem(draft, reason.value));

// A page that the back button brings back from memory may show a question answered since.
addEventListener("pageshow", (event) => event.persisted && location.reload());

const places = [...form.querySelectorAll("select")];

// A digit gives the sentence that has the focus, or the first without a place, that place; whether it did.
function place(key, focused) {
  const select = places.includes(focused) ? focused : (places.find((each) => !each.value) ?? places.at(-1));
  if (!key || ![...select.options].some((option) => option.value === key)) return false;
  select.value = key;
  (places[places.indexOf(select) + 1] ?? select).focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("textarea")) return;
  if (places.length) {
    if (place(event.key, event.target)) {
      event.preventDefault();
    } else if (event.key === "Enter" && (event.target === document.body || event.target.matches("select"))) {
      event.preventDefault();
      form.requestSubmit();
    }
    return;
  }
  const groups = [...form.querySelectorAll("fieldset:has([data-key])")];
  const group =
    groups.find((each) => each.contains(document.activeElement)) ??
    groups.find((each) => !each.querySelector(":checked")) ??
    groups.at(-1);
  const choice = group?.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
  if (choice) {
    choice.checked = true;
    choice.focus();
    event.preventDefault();
    const next = groups[groups.indexOf(group) + 1];
    if (next && !next.querySelector(":checked")) next.querySelector("input")?.focus();
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
      const { next } = await response.json();
      if (draft) sessionStorage.removeItem(draft);
      location.assign(next);
    } else {
      form.submit(); // refused: let the browser show the page that says why
    }
  } catch {
    notice.hidden = false;
    setTimeout(send, 3000, fields);
  }
}
