// Charts: drawn when they come into view, drawn again with the filtered tables.

const NAMED = ["runs", "settings", "by_data"];
const charts = new Map();
const ERRORS_ONLY = 1;
let round = 0;

function namesIn(part, found = new Set()) {
  if (Array.isArray(part)) part.forEach((item) => namesIn(item, found));
  else if (part && typeof part === "object") {
    if (part.data && NAMED.includes(part.data.name)) found.add(part.data.name);
    Object.values(part).forEach((item) => namesIn(item, found));
  }
  return found;
}

function specOf(figure) {
  const choice = figure.querySelector("select.variant");
  return report.figures[figure.dataset.figure][choice ? Number(choice.value) : 0];
}

// Data of a chart's own come by columns.
function unfold(part) {
  if (!part || typeof part !== "object") return;
  if (part.data && part.data.columns) part.data = { values: rowsOf(part.data.columns) };
  for (const [name, value] of Object.entries(part)) if (name !== "data") unfold(value);
}

// The rows of a chart; of more kinds of data than there is room for panels, of some.
// Vega marks the rows it is given, so each chart has its own.
function rowsFor(spec, look) {
  const kept = spec.facet ? new Set(panelKinds()) : null;
  const found = {};
  for (const name of namesIn(spec)) {
    const rows = chosen(name).filter((row) => !kept || kept.has(row.case));
    // Grey context lies behind what has a colour.
    if (look.grey.size) rows.sort((a, b) => look.grey.has(b.id) - look.grey.has(a.id));
    found[name] = rows.map((row) => ({ ...row }));
  }
  return found;
}

// Whether a row is left that has a place on the axes: an axis of nothing has no end.
function canBeDrawn(spec) {
  const rows = Object.values(spec.datasets).flat();
  const encoding = (spec.spec || spec).encoding || {};
  const fields = ["x", "y"].map((axis) => encoding[axis])
    .filter((axis) => axis && axis.type === "quantitative" && rows.length && axis.field in rows[0])
    .map((axis) => axis.field);
  const has = (row, field) => row[field] !== null && Number.isFinite(+row[field]);
  return !namesIn(spec).size || rows.some((row) => fields.every((field) => has(row, field)));
}

function clear(figure, plot) {
  const before = charts.get(figure);
  if (before) before.finalize();
  plot.replaceChildren();
  charts.set(figure, { finalize: () => {} });
  noteOn(figure, ["The filters leave nothing to show here."]);
  figure.dataset.drawn = "yes";
}

async function draw(figure) {
  const plot = figure.querySelector(".plot");
  const spec = structuredClone(specOf(figure));
  unfold(spec);
  const look = lookNow();
  spec.datasets = rowsFor(spec, look);
  if (!canBeDrawn(spec)) {
    clear(figure, plot);
    return;
  }
  const present = presentIn(spec);
  const grey = paint(spec, look, present);
  const follows = namesIn(spec).size > 0;
  const panels = !follows || chosenCases().length > 1;
  figure.classList.toggle("panels", Boolean(spec.facet) && panels);
  fit(spec, plot.clientWidth, present);
  const before = charts.get(figure);
  // The page does not jump while a chart is replaced by the next.
  plot.style.minHeight = `${plot.offsetHeight}px`;
  if (before) before.finalize();
  const result = await vegaEmbed(plot, spec, { renderer: "svg", actions: false,
    mode: "vega-lite", logLevel: ERRORS_ONLY });
  plot.style.minHeight = "";
  result.view.addEventListener("click", (event, item) => openFromChart(item));
  charts.set(figure, result);
  describe(figure, plot);
  noteOn(figure, notesOf(spec, grey));
  figure.dataset.drawn = "yes";
}

// A screen reader hears what the figure is about rather than each of its marks.
function describe(figure, plot) {
  const svg = plot.querySelector("svg");
  if (!svg) return;
  const choice = figure.querySelector("select.variant");
  const shown = choice ? `, ${choice.selectedOptions[0].textContent}` : "";
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", figure.querySelector("h3").firstChild.textContent + shown);
}

function notesOf(spec, grey) {
  const notes = [];
  const kinds = chosenCases().length;
  if (spec.facet && namesIn(spec).size && kinds > mostPanels()) {
    notes.push(`${mostPanels()} of ${kinds} kinds of data are shown; the filters choose others.`);
  }
  if (grey.size) {
    notes.push(`Grey: ${[...grey].join(", ")}. Choose fewer algorithms to give each a colour.`);
  }
  return notes;
}

function noteOn(figure, notes) {
  let place = figure.querySelector(".note");
  if (!place) {
    place = element("p", { class: "note" });
    figure.querySelector(".plot").after(place);
  }
  place.textContent = notes.join(" ");
  place.hidden = !notes.length;
}

// What has come into view is drawn at once, the rest one after the other.
async function redraw() {
  const mine = ++round;
  const stale = [...charts.keys()].filter((figure) => namesIn(specOf(figure)).size);
  const away = (figure) => Math.abs(figure.getBoundingClientRect().top);
  for (const figure of stale.sort((a, b) => away(a) - away(b))) {
    if (mine !== round) return;
    await draw(figure);
  }
}

// Figures with a choice of kinds of data follow a filter that leaves one of them.
function followFilters() {
  const left = chosenCases();
  for (const choice of document.querySelectorAll("select.variant")) {
    const place = [...choice.options].findIndex((option) => option.textContent === left[0]);
    if (left.length !== 1 || place < 0 || choice.selectedIndex === place) continue;
    choice.selectedIndex = place;
    const figure = choice.closest("figure");
    if (charts.has(figure)) draw(figure);
  }
}

function openFromChart(item) {
  const row = item && item.datum;
  if (!row) return;
  if (typeof row.run === "number") openRun(row.run);
  else if (row.setting) openSetting(row.setting, row.case);
}

async function saveChart(figure, kind) {
  const result = charts.get(figure);
  if (!result) return;
  const before = result.view.background();
  const url = await result.view.background("white").toImageURL(kind, 2);
  result.view.background(before);
  element("a", { href: url, download: `${figure.dataset.figure}.${kind}` }).click();
}

function saveButtons(figure) {
  return element("span", { class: "save" }, ...["svg", "png"].map((kind) => {
    const button = element("button", { type: "button", onclick: () => saveChart(figure, kind) },
      kind.toUpperCase());
    button.setAttribute("aria-label",
      `save the figure ${figure.querySelector("h3").textContent} as ${kind.toUpperCase()}`);
    return button;
  }));
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
    figure.querySelector("h3").after(saveButtons(figure));
    figure.classList.toggle("wide", isWide(figure));
    watcher.observe(figure);
    const choice = figure.querySelector("select.variant");
    if (!choice) continue;
    // A large study has more choices than the page has charts.
    choice.length = Math.min(choice.length, report.figures[figure.dataset.figure].length);
    choice.addEventListener("change", () => draw(figure));
  }
  window.addEventListener("beforeprint", () => figures.forEach((figure) => {
    if (!charts.has(figure)) draw(figure);
  }));
}
