// Tells the server when a question's page is left, so that its item goes to somebody else unless this person is back
// within a minute. Without this file the item is kept for them until its lease ends.
"use strict";

{
  const question = document.querySelector("form.question");
  const assignment = question.elements.assignment.value;
  const tabs = new BroadcastChannel("questions");
  const LATER = 2000; // milliseconds: the server must hear of the leaving first, which may come after a reload's request
  let answering = false;

  const tell = (what) =>
    navigator.sendBeacon(what, new URLSearchParams({ form: question.elements.form.value, assignment }));

  question.addEventListener("submit", () => { answering = true; });
  for (const link of question.querySelectorAll("a")) {
    link.addEventListener("click", () => { answering = true; }); // to the last answer: they come back to this question
  }

  addEventListener("pagehide", () => {
    if (answering) return;
    tell("leave");
    sessionStorage.setItem("left", assignment);
    tabs.postMessage(assignment);
  });

  // This tab left the question and is back, by a reload or a step back.
  if (sessionStorage.getItem("left") === assignment) setTimeout(tell, LATER, "stay");
  sessionStorage.removeItem("left");

  // Another tab left the question, and this one still shows it.
  tabs.addEventListener("message", ({ data }) => data === assignment && setTimeout(tell, LATER, "stay"));
}
