// One run: its parameters, its numbers, the true and the estimated graph, its log.

// Side by side, the names of so many nodes would be too small to read.
const MANY_NODES = 40;
// A drawing of more nodes would be hair, and take the browser minutes.
const MOST_NODES = 2000, BUSIEST = 20;
const dialog = document.getElementById("run");

function openSetting(setting, name) {
  const runs = chosen("runs").filter((row) =>
    row.setting === setting && (!name || row.case === name));
  const metric = report.headlines.find((m) => runs.some((row) => typeof row[m] === "number"));
  const ranked = metric ? [...runs].sort((a, b) => compare(a[metric], b[metric], false)) : runs;
  // The run in the middle says more about a setting than its first one.
  const middle = ranked[Math.floor(Math.max(ranked.length - 1, 0) / 2)];
  if (middle) openRun(middle.run);
}

function openRun(number) {
  const row = tables.runs[number];
  const siblings = tables.runs.filter((other) =>
    other.setting === row.setting && other.case === row.case);
  const at = siblings.indexOf(row);
  const step = (by) => openRun(siblings[(at + by + siblings.length) % siblings.length].run);
  const parts = [
    element("div", { class: "top" },
      element("h2", { id: "run-heading" }, row.setting),
      element("button", { type: "button", onclick: () => step(-1) }, "‹ seed"),
      element("button", { type: "button", onclick: () => step(1) }, "seed ›"),
      element("button", { type: "button", onclick: () => dialog.close() }, "close")),
    element("p", { class: "muted" }, `${row.case}, seed ${row.seed}: ${row.status}` +
      (row.reason ? ` (${row.reason})` : "")),
    graphPanels(number),
    logOf(number),
    element("h3", {}, "Numbers"), factsOf(numbersOf(row)),
    element("h3", {}, "Parameters"), factsOf(report.parameters[row.setting] || {}),
  ];
  dialog.replaceChildren(...parts.filter((part) => part));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function numbersOf(row) {
  const found = {};
  for (const metric of Object.keys(report.metrics)) {
    if (row[metric] !== null && row[metric] !== undefined) found[titleOf(metric)] = row[metric];
  }
  return found;
}

function factsOf(values) {
  return element("dl", { class: "facts" }, ...Object.entries(values).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value === null ? "none"
      : typeof value === "object" ? JSON.stringify(value) : shown(value)))));
}

function graphPanels(number) {
  const graphs = graphsOf(number);
  if (!graphs) {
    const failed = tables.runs[number].status !== "ok";
    return element("p", { class: "muted" }, failed ? "The run has no graph."
      : "The graph of this run is not in the report, which holds those of the first seeds.");
  }
  const edges = compared(graphs);
  const pictures = graphs.names.length > MOST_NODES ? busiest(graphs, edges)
    : drawings(graphs, edges);
  return element("div", {}, pictures,
    ...(graphs.truth ? [keyOf(graphs, edges), explained(number, graphs, edges)] : []));
}

function drawings(graphs, edges) {
  const panels = [panel("estimate", graphs, edges)];
  if (graphs.truth) panels.unshift(panel("truth", graphs, trueEdges(graphs)));
  const large = graphs.names.length > MANY_NODES ? "graphs large" : "graphs";
  return element("div", { class: large }, ...panels);
}

// In place of a drawing: the nodes with the most mistakes, or with the most edges without a truth.
function busiest(graphs, edges) {
  const kinds = graphs.truth ? Object.keys(MEANINGS) : [""];
  const counts = new Map(graphs.names.map((name) => [name, kinds.map(() => 0)]));
  for (const edge of edges) {
    for (const end of [edge.from, edge.to].filter((name) => counts.has(name))) {
      counts.get(end)[kinds.indexOf(edge.kind)] += 1;
    }
  }
  const weight = (own) => own.slice(graphs.truth ? 1 : 0).reduce((a, b) => a + b);
  const first = [...counts].sort((a, b) => weight(b[1]) - weight(a[1])).slice(0, BUSIEST);
  const headings = ["node", ...kinds.map((kind) => MEANINGS[kind] || "edges")];
  const what = graphs.truth ? "mistakes" : "edges";
  return element("div", {},
    element("p", {}, `${graphs.names.length.toLocaleString("en")} nodes are too many to draw; ` +
      `these ${first.length} have the most ${what}.`),
    element("table", {},
      element("thead", {}, element("tr", {}, ...headings.map((text, k) =>
        element("th", k ? {} : { class: "text" }, text)))),
      element("tbody", {}, ...first.map(([name, own]) => element("tr", {},
        element("td", { class: "text" }, name),
        ...own.map((count) => element("td", {}, String(count))))))));
}

function counted(edges, kind) {
  return edges.filter((edge) => edge.kind === kind).length;
}

// What each line means, with how many there are of it.
function keyOf(graphs, edges) {
  const entries = Object.entries(MEANINGS).map(([kind, words]) =>
    element("span", {}, sample(kind), `${words} (${counted(edges, kind)})`));
  const free = [...edges, ...trueEdges(graphs)].some((edge) => edge.free);
  if (free) entries.push(element("span", {}, sample("correct free"), "either direction will do"));
  return element("p", { class: "key muted" }, ...entries);
}

function sample(kind) {
  const svg = shape("svg", { viewBox: "0 0 38 12", "aria-hidden": "true" });
  const group = shape("g", { class: `edge ${kind}` });
  group.append(shape("path", { d: "M0 6 L36 6" }));
  tip(group, { x: 38, y: 6 }, { x: 0, y: 6 }, ARROW);
  svg.append(group);
  return svg;
}

// Which distance the colours add up to.
function explained(number, graphs, edges) {
  const metric = graphs.classes ? "SHD_cpdag" : "SHD";
  const name = titleOf(metric).replace(/\s[↑↓]$/, "");
  const terms = ["missing", "wrong", "turned"].map((kind) => counted(edges, kind));
  const sum = terms.reduce((a, b) => a + b);
  const how = graphs.classes
    ? "Colours compare the Markov equivalence classes (CPDAGs) of the two graphs"
    : "The estimate has no CPDAG, so colours compare the marks of each edge";
  const adds = tables.runs[number][metric] === sum
    ? `: ${terms[0]} missing + ${terms[1]} not in the truth + ${terms[2]} in another direction = ${name} ${sum}.`
    : ".";
  return element("p", { class: "muted explained" }, how + adds);
}

function panel(name, graphs, edges) {
  const own = edges.filter((edge) => edge.kind !== "missing").length;
  const label = `${name}: ${graphs.names.length} nodes, ${own} edges`;
  return element("figure", {}, element("figcaption", {}, label),
    drawing(graphs.names, graphs.places, edges, label));
}

function logOf(number) {
  const log = report.logs[number];
  return log ? element("pre", { tabindex: "0", "aria-label": "log" }, log) : null;
}

dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
