// The engine of the stand-alone page: the simulator as WebAssembly in this page.
"use strict";
const simulator = (async () => {
  const reply = await fetch("playground.wasm.gz");
  if (!reply.ok) throw new Error("cannot load the simulator: " + reply.status);
  let code = await reply.arrayBuffer();
  if (new Uint8Array(code, 0, 2).join() === "31,139") { // gzip; some servers have already removed it
    code = await new Response(new Blob([code]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const go = new Go();
  go.run((await WebAssembly.instantiate(code, go.importObject)).instance); // never ends
})();

// engine.run returns the answer to a request, both as JSON text.
const engine = { async run(request) { await simulator; return howdahPlayground(request); } };
