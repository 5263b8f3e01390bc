// Keeps <main> up to date: fetches the page again and exchanges only what changed, so that nothing flickers, scrolls or loses
// its selection. A page without data-live stops asking.
"use strict";
const beat = document.getElementById("beat");

// patch makes the old node look like the new one.
function patch(old, now) {
  if (old.isEqualNode(now) || old.open && now.nodeName === "DIALOG") return; // somebody fills in an open dialog
  if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName) { old.replaceWith(now.cloneNode(true)); return; }
  if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = now.nodeValue; return; }
  for (const a of [...old.attributes]) if (!now.hasAttribute(a.name)) old.removeAttribute(a.name);
  for (const a of now.attributes) if (old.getAttribute(a.name) !== a.value) old.setAttribute(a.name, a.value);
  // A row with a key remains the row of its job or attempt, so that no bar moves from one to another.
  const keyed = new Map();
  for (const c of old.children) if (c.dataset.key) keyed.set(c.dataset.key, c);
  let at = old.firstChild;
  for (const c of now.childNodes) {
    const key = c.dataset && c.dataset.key, known = key && keyed.get(key);
    if (key ? !known : !at || at.dataset && at.dataset.key) { old.insertBefore(c.cloneNode(true), at); continue; }
    if (known && known !== at) old.insertBefore(known, at);
    const was = known || at;
    at = was.nextSibling;
    patch(was, c);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

async function refresh() {
  let wait = 1000;
  try {
    if (!document.hidden) {
      const r = await fetch(location.href, { cache: "no-store" });
      const d = new DOMParser().parseFromString(await r.text(), "text/html");
      const now = d.querySelector("main");
      if (r.ok && now) {
        patch(document.querySelector("main"), now);
        document.title = d.title;
      }
      beat.className = r.ok ? "ok" : "lost";
    }
  } catch { // the daemon is away; its page stays as it was
    beat.className = "lost";
    wait = 3000;
  }
  if (document.querySelector("main[data-live]")) setTimeout(refresh, wait);
}
setTimeout(refresh, 1000);
