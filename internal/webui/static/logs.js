// Follows a log: asks for what was added and appends it, up to a limit.
"use strict";
document.documentElement.classList.add("scripted");
const log = document.getElementById("log"), box = document.getElementById("follow"), lost = document.getElementById("lost");
const most = 1 << 20; // characters to keep

async function follow(decoder) {
  let wait = 1000;
  if (box.checked && !document.hidden) {
    try {
      const r = await fetch(new URL(log.dataset.from + "&start=" + log.dataset.next, location.href), { cache: "no-store" });
      if (!r.ok) throw new Error((await r.text()).trim());
      const bytes = await r.arrayBuffer();
      if (bytes.byteLength) {
        log.dataset.next = Number(log.dataset.next) + bytes.byteLength;
        log.textContent = (log.textContent + decoder.decode(bytes, { stream: true })).slice(-most);
        document.querySelector(".log .empty")?.remove();
        wait = bytes.byteLength < most ? wait : 0;
        log.scrollTop = log.scrollHeight;
      }
      lost.textContent = "";
    } catch (e) {
      lost.textContent = "Cannot read more: " + e.message;
      wait = 5000;
    }
  }
  setTimeout(follow, wait, decoder);
}
if (log) log.scrollTop = log.scrollHeight;
if (log && box) follow(new TextDecoder());
