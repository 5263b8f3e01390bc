// Opens the dialogs of changes and sends them to /api/v1. Without this script, the style sheet hides the buttons.
"use strict";
document.documentElement.classList.add("scripted");

const problem = (form, text) => { form.querySelector(".problem").textContent = text; };

addEventListener("click", e => {
  const button = e.target.closest("button");
  if (!button) return;
  if ("close" in button.dataset) button.closest("dialog").close();
  if (!button.dataset.act) return;
  const dialog = document.getElementById("act-" + button.dataset.act), form = dialog.querySelector("form");
  const effect = form.querySelector("[data-effect]"), name = button.dataset.name || "";
  form.reset();
  form.dataset.name = name;
  effect.textContent = effect.dataset.effect.replace("{name}", name);
  problem(form, "");
  dialog.showModal();
});

addEventListener("submit", async e => {
  const form = e.target;
  if (!form.dataset.to) return;
  e.preventDefault();
  const send = form.querySelector(".do");
  if (send.disabled) return; // the request is on its way
  send.disabled = true;
  problem(form, "");
  const to = new URL(form.dataset.to.replace("{name}", encodeURIComponent(form.dataset.name)), location.origin), body = {};
  for (const f of form.elements) {
    if (!f.name || !f.value) continue;
    if ("query" in f.dataset) to.searchParams.set(f.name, f.value);
    else body[f.name] = f.type === "number" ? f.valueAsNumber : f.value;
  }
  try {
    const method = form.dataset.method;
    const r = await fetch(to, { method, headers: { "X-Howdah-Change": "page", "Content-Type": "application/json" },
      body: method === "DELETE" ? undefined : JSON.stringify(body) });
    if (r.ok) { location.reload(); return; }
    problem(form, explain(await r.text(), r.status));
  } catch {
    problem(form, "The daemon does not answer, so the change may have been made. Reload the page to see.");
  }
  send.disabled = false;
});

// explain returns what failed and what to do.
function explain(text, status) {
  try {
    const e = JSON.parse(text).error;
    return [[e.op, e.on].filter(Boolean).join(" ") || "The change failed", e.why].join(": ") + (e.fix ? ". " + e.fix : "") + ".";
  } catch {
    return text.trim() || "The change failed with status " + status + ".";
  }
}
