// Tells the server when a question's page is left, so that its item goes to somebody else unless this person is back
// within a minute. Without this file the item is kept for them until its lease ends.
"use strict";

{
  const question = document.querySelector("form.question");
  const assignment = question.elements.assignment.value;
  const tabs = new BroadcastChannel("questions");
  let answering = false;

  const tell = (what) =>
    navigator.sendBeacon(what, new URLSearchParams({ form: question.elements.form.value, assignment }));

  question.addEventListener("submit", () => { answering = true; });

  addEventListener("pagehide", () => {
    if (answering) return;
    tell("leave");
    tabs.postMessage(assignment);
  });

  // The same question was left in another tab and is still open in this one. The server must hear of the leaving first.
  tabs.addEventListener("message", ({ data }) => data === assignment && setTimeout(tell, 2000, "stay"));
}
