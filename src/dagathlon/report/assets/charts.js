// Charts: drawn when they come into view, redrawn with the filtered tables.

const NAMED = ["runs", "settings", "by_data"];
const charts = new Map();
const ERRORS_ONLY = 1;

function namesIn(part, found = new Set()) {
  if (Array.isArray(part)) part.forEach((item) => namesIn(item, found));
  else if (part && typeof part === "object") {
    if (part.data && NAMED.includes(part.data.name)) found.add(part.data.name);
    Object.values(part).forEach((item) => namesIn(item, found));
  }
  return found;
}

// Vega marks the rows it is given, so each chart has its own.
function copies(name) {
  return chosen(name).map((row) => ({ ...row }));
}

function fitted(spec, width) {
  const made = structuredClone(spec);
  if (typeof made.width === "number") {
    made.width = "container";
    made.autosize = { type: "fit-x", contains: "padding" };
    const least = made.usermeta ? made.usermeta.least_width : 0;
    if (width < least) made.width = least;
  }
  if (width < 640) made.config.legend = { ...made.config.legend, orient: "bottom", columns: 2 };
  // A title longer than its axis has room on the left, where the labels are.
  if (width < 440) made.config.axisX = { titleAnchor: "end" };
  return made;
}

async function draw(figure) {
  const name = figure.dataset.figure;
  const choice = figure.querySelector("select.variant");
  const plot = figure.querySelector(".plot");
  const spec = fitted(report.figures[name][choice ? Number(choice.value) : 0], plot.clientWidth);
  const needed = namesIn(spec);
  spec.datasets = {};
  for (const table of needed) spec.datasets[table] = copies(table);
  const before = charts.get(figure);
  if (before) before.result.finalize();
  const actions = { export: true, source: false, compiled: false, editor: false };
  const result = await vegaEmbed(plot, spec, { renderer: "svg", actions, mode: "vega-lite",
    logLevel: ERRORS_ONLY });
  result.view.addEventListener("click", (event, item) => openFromChart(item));
  charts.set(figure, { result, needed });
  figure.dataset.drawn = "yes";
}

function redraw() {
  for (const [figure, { result, needed }] of charts) {
    if (!needed.size) continue;
    for (const table of needed) result.view.data(table, copies(table));
    result.view.resize().runAsync().catch(() => draw(figure));
  }
}

function openFromChart(item) {
  const row = item && item.datum;
  if (!row) return;
  if (typeof row.run === "number") openRun(row.run);
  else if (row.setting) openSetting(row.setting, row.case);
}

function startCharts() {
  const figures = [...document.querySelectorAll("figure.chart")];
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "600px" });
  for (const figure of figures) {
    watcher.observe(figure);
    const choice = figure.querySelector("select.variant");
    if (choice) choice.addEventListener("change", () => draw(figure));
  }
  window.addEventListener("beforeprint", () => figures.forEach((figure) => {
    if (!charts.has(figure)) draw(figure);
  }));
}
