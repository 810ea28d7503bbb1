// Beside study.js, which keeps what is typed in this tab and hands it in: the counters, the draft at the server, and
// what the server says of it at the boxes. The page works without this file.
"use strict";

{
  const work = document.querySelector("form.question");
  const boxes = [...work.querySelectorAll(".box textarea")];
  const isSaved = document.getElementById("saved");
  const unsaved = document.getElementById("unsaved"); // which a screen reader says
  const AFTER = 600; // milliseconds without a key
  const AGAIN = 3000;
  let timer = null;
  let asking = false; // a draft is on its way
  let behind = false; // something was typed since
  let handing = false;

  const typed = (box) => work.elements[`typed-${box.name}`];

  function length(text) {
    return [...text.normalize("NFC").trim().replace(/\s+/g, " ")].length;
  }

  function count(box) {
    const shown = document.getElementById(`count-${box.name}`);
    const most = Number(shown.dataset.most);
    shown.textContent = `${length(box.value)} of ${most} characters`;
    shown.classList.toggle("over", length(box.value) > most);
  }

  // Remarks are put in anew only where they differ, so that a screen reader says each once.
  function tell(remarks) {
    for (const list of work.querySelectorAll(".remarks")) {
      const told = remarks[list.id.replace("remarks-", "")] ?? [];
      const before = [...list.children].map((each) => [each.textContent, each.className === "refusal"]);
      if (JSON.stringify(told) !== JSON.stringify(before)) {
        list.replaceChildren(
          ...told.map(([words, refuses]) => {
            const item = document.createElement("li");
            item.className = refuses ? "refusal" : "advice";
            item.textContent = words;
            return item;
          }),
        );
      }
      const box = document.getElementById(list.id.replace("remarks-", ""));
      if (box) box.setAttribute("aria-invalid", String(told.some(([, refuses]) => refuses)));
    }
  }

  async function save() {
    if (handing) return;
    if (asking) {
      behind = true;
      return;
    }
    [asking, behind] = [true, false];
    const fields = new URLSearchParams(new FormData(work));
    fields.set("at", boxes.includes(document.activeElement) ? document.activeElement.name : "");
    if (document.getElementById("problem")) fields.set("all", "yes"); // it was refused: empty boxes get remarks, too
    let wait = null;
    try {
      const response = await fetch(work.dataset.draft, {
        method: "POST",
        body: fields,
        headers: { accept: "application/json" },
      });
      if (!response.ok) throw new Error("not now");
      const { saved, remarks, over } = await response.json();
      if (remarks && !behind) tell(remarks);
      isSaved.hidden = !saved || behind;
      unsaved.textContent = over ?? "";
    } catch {
      unsaved.textContent = unsaved.dataset.words;
      wait = AGAIN;
    }
    asking = false;
    if (wait || behind) later(wait ?? AFTER);
  }

  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  }

  for (const box of boxes) {
    let before = box.value.length;
    // What a box holds when its page is opened was not pasted now.
    if (!typed(box).value) typed(box).value = before;
    count(box);
    box.addEventListener("input", ({ inputType }) => {
      const isPasted = ["insertFromPaste", "insertFromDrop", "insertFromYank"].includes(inputType);
      if (!isPasted) typed(box).value = Number(typed(box).value) + Math.max(0, box.value.length - before);
      before = box.value.length;
      count(box);
    }, true);
    box.addEventListener("blur", () => { if (box.value) later(0); });
    // One sentence a box: Enter goes to the next one.
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      (boxes[boxes.indexOf(box) + 1] ?? work.querySelector("button")).focus();
    });
  }

  // Before study.js keeps the boxes: `edited` says which of two drafts is newer.
  work.addEventListener("input", () => { work.elements.edited.value = Date.now(); }, true);
  work.addEventListener("input", () => {
    isSaved.hidden = true;
    behind = asking;
    later(AFTER);
  });
  work.addEventListener("submit", () => {
    handing = true;
    clearTimeout(timer);
  });
  if (boxes.some((box) => box.value)) later(0);
}
