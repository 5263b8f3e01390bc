// The page on which readers try schedulers: sends requests to the engine and draws its timelines.
"use strict";
const $ = id => document.getElementById(id);
const rowHeight = 34, axis = 18, chartHeight = 130;
let known;            // scenes, policies, and weights
let scene, request;   // what the page shows
let timeline, before; // of this request, and a text about the one before
let span;             // ms from the left to the right of each chart
let cursor = null;    // time under the pointer in ms
let turn = 0;         // number of the latest request, so that late answers are dropped

// svg returns an SVG element with attributes and children.
function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function html(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

const seconds = ms => Math.round(ms / 100) / 10 + " s";

// simulate runs the request and shows the outcome.
async function simulate() {
  const mine = ++turn, answer = JSON.parse(await engine.run(JSON.stringify(request)));
  if (mine !== turn) return;
  $("problem").hidden = !answer.error;
  $("problem").textContent = answer.error || "";
  if (answer.error) return;
  const was = timeline && before;
  timeline = answer;
  span = 1.03 * Math.max(timeline.makespan, ...timeline.jobs.map(j => j.deadline), 1000);
  before = `${name()}: ${seconds(timeline.makespan)}${late()}`;
  $("outcome").replaceChildren("The last job ends after ", html("b", { textContent: seconds(timeline.makespan) }),
    late() + "." + (was && was !== before ? ` Before, with ${was}.` : ""));
  document.body.dataset.runs = mine;
  draw();
}

const name = () => request.clusters ? `${request.policy} and weights ${request.weights}` : request.policy;

function late() {
  const due = timeline.jobs.filter(j => j.deadline).length;
  return due ? `, and ${timeline.missed} of ${due} deadlines ${timeline.missed === 1 ? "is" : "are"} missed` : "";
}

// draw draws all charts for the width of the window.
function draw() {
  if (!timeline) return;
  const charts = [jobsChart()];
  if (timeline.slots[0]) {
    ["Map slots", "Reduce slots"].forEach((title, slot) => {
      const limit = timeline.slots[slot];
      const left = request.capacity ? "slots that are left, f(t)" : "all slots";
      if (Math.max(...limit)) charts.push(layers(title, limit, left, timeline.jobs.flatMap((j, i) => [0, 1].map(kind => ({
          name: j.name + (kind === slot ? "" : kind ? ": reduces in borrowed slots" : ": maps in borrowed slots"),
          color: i, lent: kind !== slot, values: j.running[slot][kind] })))));
    });
  }
  if ((timeline.groups || []).length > 1) {
    timeline.groups.forEach((g, i) => ["maps", "reduces"].forEach((title, kind) => {
      if (Math.max(0, ...g.running[kind])) charts.push(layers(`Pool ${g.name}: ${title}`, g.fair[kind], "fair share", [
        { name: "in own slots", color: i, values: g.running[kind].map((n, t) => n - g.borrowed[kind][t]) },
        { name: "in borrowed slots", color: i, lent: true, values: g.borrowed[kind] }], 70));
    }));
  }
  if (timeline.clusters) {
    const nodes = timeline.clusters[0].nodes.map(() => request.nodes);
    charts.push(layers("Nodes of MR-clusters", nodes, "all nodes",
      timeline.clusters.map((c, i) => ({ name: c.name, color: i, values: c.nodes }))));
    charts.push(layers("Waiting tasks of MR-clusters", null, "",
      timeline.clusters.map((c, i) => ({ name: c.name, color: i, values: c.waiting }))));
  }
  $("charts").replaceChildren(...charts);
  mark();
}

const width = () => Math.max(200, $("charts").clientWidth - 26);
const x = ms => Math.round(10 * ms / span * width()) / 10;

// frame returns a chart with a time axis.
function frame(title, height) {
  const plot = svg("svg", { height: height + axis, role: "img", "aria-label": title });
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200];
  const step = 1000 * (steps.find(s => span / 1000 / s <= width() / 70) || 86400);
  for (let t = 0; t < span; t += step) {
    plot.append(svg("line", { x1: x(t), x2: x(t), y1: 0, y2: height }),
      svg("text", { x: x(t) + 3, y: height + 12 }, t / 1000 + (t ? "" : " s")));
  }
  plot.append(svg("line", { class: "now", y1: 0, y2: height, visibility: "hidden" }));
  const at = e => (e.clientX - plot.getBoundingClientRect().left) / width() * span;
  plot.addEventListener("pointermove", e => { cursor = at(e); mark(); });
  plot.addEventListener("pointerleave", () => { cursor = null; mark(); });
  return plot;
}

const section = (title, note, ...parts) => html("section", {},
  html("h2", {}, title + " ", html("small", { textContent: note })), html("div", { className: "plot" }, ...parts));

// layers returns a chart of amounts on top of each other, below a limit.
function layers(title, limit, limitName, list, height = chartHeight) {
  list = list.filter(l => Math.max(0, ...l.values));
  const last = Math.ceil(timeline.makespan / timeline.step), sums = [];
  for (let t = 0; t < last; t++) sums.push(list.reduce((n, l) => n + (l.values[t] || 0), 0));
  const top = Math.max(1, ...sums, ...(limit || [])), y = n => Math.round(10 * (height - n / top * (height - 6))) / 10;
  const steps = values => values.slice(0, last).map((n, t) => `${t ? "H" + x(t * timeline.step) + "V" : "M0 "}${y(n)}`).join("");
  const plot = frame(title, height), now = plot.lastChild;
  for (const l of [...list].reverse()) {
    now.before(svg("path", { class: `s${l.color % 8}${l.lent ? " lent" : ""}`,
      d: `${steps(sums)}H${x(timeline.makespan)}V${height}H0Z` }));
    for (let t = 0; t < last; t++) sums[t] -= l.values[t] || 0;
  }
  const legend = html("p", { className: "legend" });
  const entry = (key, text, values) => {
    const value = html("b", { className: "value" });
    value.values = values;
    legend.append(html("span", {}, html("span", { className: "key " + key }), ` ${text} `, value), " ");
  };
  list.forEach(l => entry(`s${l.color % 8}${l.lent ? " lent" : ""}`, l.name, l.values));
  if (limit) {
    now.before(svg("path", { class: "limit", d: `${steps(limit)}H${x(timeline.makespan)}` }));
    entry("limit", limitName, limit);
  }
  return section(title, "up to " + top, plot, legend);
}

// mark shows the values at the time under the pointer.
function mark() {
  for (const line of document.querySelectorAll("line.now")) {
    line.setAttribute("visibility", cursor === null ? "hidden" : "visible");
    if (cursor !== null) for (const end of ["x1", "x2"]) line.setAttribute(end, x(cursor));
  }
  for (const v of document.querySelectorAll(".value")) {
    v.textContent = cursor === null ? "" : v.values[Math.max(0, Math.floor(cursor / timeline.step))] ?? 0;
  }
}

// jobsChart shows when each job waits and runs, with deadlines that the reader can move.
function jobsChart() {
  const plot = frame("Jobs", timeline.jobs.length * rowHeight), now = plot.lastChild;
  plot.setAttribute("role", "group");
  timeline.jobs.forEach((j, i) => {
    const y = i * rowHeight, middle = y + 23, fill = { y: middle - 6, height: 12, class: "s" + i % 8 };
    const bar = (from, to, more = "") => svg("rect",
      { ...fill, x: x(from), width: Math.max(0, x(to) - x(from)), class: fill.class + more });
    const end = j.failed ? "failed" : seconds(j.finish) + (j.missed ? ", late" : "");
    const left = Math.min(x(j.submit), Math.max(0, width() - 8 * (j.name.length + end.length + 2)));
    now.before(svg("text", { class: "job", x: left, y: y + 13 }, `${j.name}: ${end}`));
    if (j.failed) return;
    const mapsDone = j.maps_done || j.finish;
    now.before(svg("line", { class: "wait", x1: x(j.submit), x2: x(j.start), y1: middle, y2: middle }),
      bar(j.start, mapsDone), bar(mapsDone, j.finish, " later"));
  });
  timeline.jobs.forEach((j, i) => { if (j.deadline) plot.append(handle(plot, j, i)); });
  return section("Jobs", "from submission to end", plot, html("p", { className: "legend",
    textContent: "Dotted: waiting. Full: until the last map ends. Pale: reduces. " +
      (timeline.jobs.some(j => j.deadline) ? "Drag a diamond, or use the arrow keys, to move a deadline." : "") }));
}

// handle returns the mark of a deadline, which moves with the pointer and the arrow keys.
function handle(plot, j, i) {
  const at = x(j.deadline), top = i * rowHeight + 15, d = `M${at} ${top - 8}l6 8l-6 8l-6 -8z`;
  const g = svg("g", { class: "deadline" + (j.missed ? " missed" : ""), tabindex: 0, role: "slider",
    "aria-label": "Deadline of " + j.name, "aria-valuemin": j.submit / 1000 + 1, "aria-valuemax": 86400,
    "aria-valuenow": j.deadline / 1000, "aria-valuetext": seconds(j.deadline) },
  svg("rect", { class: "grip", x: at - 12, y: top - 13, width: 24, height: rowHeight }),
  svg("line", { x1: at, x2: at, y1: top, y2: top + 18 }), svg("path", { d }));
  const scale = span / width();
  g.addEventListener("pointerdown", e => {
    e.preventDefault();
    const left = plot.getBoundingClientRect().left;
    const move = e => g.setAttribute("transform", `translate(${e.clientX - left - at} 0)`);
    const up = e => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      moveDeadline(i, Math.round((e.clientX - left) * scale / 1000));
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  });
  g.addEventListener("keydown", async e => {
    const by = { ArrowLeft: -5, ArrowRight: 5, PageDown: -30, PageUp: 30 }[e.key];
    if (!by) return;
    e.preventDefault();
    await moveDeadline(i, request.jobs[i].deadline + by);
    document.querySelector(`[aria-label="Deadline of ${CSS.escape(j.name)}"]`)?.focus();
  });
  return g;
}

function moveDeadline(i, to) {
  const j = request.jobs[i];
  j.deadline = Math.min(86400, Math.max(j.submit + 1, to));
  table();
  return simulate();
}

// table shows the workload, which the reader can edit.
function table() {
  const fields = ["submit", "maps", "map_time", "reduces", "reduce_time", "deadline"];
  $("jobs").tBodies[0].replaceChildren(...request.jobs.map((j, i) => html("tr", {},
    html("td", { textContent: j.name }), html("td", { textContent: j.group || "default" }),
    ...fields.map(f => {
      const ariaLabel = `${f.replace("_", " ")} of ${j.name}`;
      const input = html("input", { type: "number", min: 0, value: j[f], ariaLabel });
      input.addEventListener("change", () => { j[f] = Math.round(Number(input.value)); simulate(); });
      return html("td", {}, input);
    }),
    html("td", {}, html("button", { type: "button", textContent: "×", ariaLabel: "Remove " + j.name, onclick() {
      request.jobs.splice(i, 1);
      table();
      simulate();
    } })))));
}

// show starts the scene that the address names.
function show() {
  scene = known.scenes.find(s => "#" + s.id === location.hash) || known.scenes[0];
  request = structuredClone(scene.request);
  timeline = before = undefined;
  $("scenes").replaceChildren(...known.scenes.map(s => {
    const a = html("a", { href: "#" + s.id, textContent: s.title });
    if (s === scene) { a.className = "on"; a.setAttribute("aria-current", "page"); }
    return a;
  }));
  $("about").textContent = scene.about;
  const first = scene.policies, others = known.policies.filter(p => !first.includes(p));
  $("policy").replaceChildren(...first.map(p => new Option(p)), ...others.map(p => new Option(p)));
  $("weights").replaceChildren(...known.weights.map(w => new Option(w)));
  $("weighing").hidden = !request.clusters;
  $("grouping").textContent = request.clusters ? "MR-cluster" : "Pool";
  $("policy").value = request.policy;
  $("weights").value = request.weights || "";
  $("nodes").value = request.nodes;
  [$("maps").value, $("reduces").value] = request.slots;
  table();
  return simulate();
}

$("form").addEventListener("submit", e => e.preventDefault());
$("form").addEventListener("change", () => {
  request.policy = $("policy").value;
  if (request.clusters) request.weights = $("weights").value;
  request.nodes = Number($("nodes").value);
  request.slots = [Number($("maps").value), Number($("reduces").value)];
  simulate();
});
$("add").addEventListener("click", () => {
  const last = request.jobs.at(-1) || scene.request.jobs[0];
  let n = request.jobs.length + 1;
  while (request.jobs.some(j => j.name === "job " + n)) n++;
  request.jobs.push({ ...last, name: "job " + n });
  table();
  simulate();
});
$("reset").addEventListener("click", show);
addEventListener("hashchange", show);
addEventListener("resize", draw);

(async () => {
  const results = html("a", { href: engine.home, textContent: "Results" });
  if (engine.home) document.querySelector("header .grow").before(results);
  known = JSON.parse(await engine.run(""));
  await show();
})().catch(e => {
  $("problem").hidden = false;
  $("problem").textContent = e.message;
});
