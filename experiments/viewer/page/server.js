// The engine of the page that howdah-lab serves: the simulator in the server.
"use strict";

// engine.run returns the answer to a request, both as JSON text. engine.home is the address of the results.
const engine = {
  home: "../",
  async run(request) { return (await fetch("run", { method: "POST", body: request })).text(); },
};
