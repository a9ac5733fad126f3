// How a chart fits its place: widths, panels, legends, and colours that a reader can tell apart.

const MOST_COLOURS = 12;
const GREY = "#8c8c8c";
const LETTER = 6.6;

// On a telephone panels stand below each other, so that a dozen would be a long way down.
function mostPanels() {
  return window.innerWidth < 640 ? 4 : 12;
}

// The kinds of data that have panels: of very many, some from all over.
function panelKinds() {
  const kinds = chosenCases();
  const step = Math.max(1, kinds.length / mostPanels());
  return kinds.filter((_, i) => Math.floor(i / step) > Math.floor((i - 1) / step));
}

// Of many algorithms the best dozen have colours; the others are grey until fewer are chosen.
function lookNow() {
  const left = report.order.filter((id) => filters.ids.has(id));
  return { grey: new Set(left.length > MOST_COLOURS ? left.slice(MOST_COLOURS) : []) };
}

function isLook(part) {
  return part.field === "id" && part.scale && Array.isArray(part.scale.range);
}

// Scales and legends of algorithms: only those that are there, only so many colours. Where names
// stand on an axis, there is no legend and no need of grey. Returns what is grey.
function paint(part, look, present, found = new Set()) {
  if (!part || typeof part !== "object") return found;
  if (isLook(part)) {
    if (!part.legend) return found;
    const { domain, range } = part.scale;
    const own = (part.legend.values || domain).filter((id) => present.has(id));
    const plain = range[0].startsWith("#") ? GREY : "circle";
    part.scale.range = range.map((value, i) => (look.grey.has(domain[i]) ? plain : value));
    part.legend.values = own.filter((id) => !look.grey.has(id));
    own.filter((id) => look.grey.has(id)).forEach((id) => found.add(id));
    return found;
  }
  for (const [name, value] of Object.entries(part)) {
    if (name !== "datasets") paint(value, look, present, found);
  }
  return found;
}

// The algorithms that have a number to show, in tables of the page or in data of the chart's own.
function presentIn(spec) {
  const { encoding = {} } = spec.spec || spec;
  const field = encoding.y && encoding.y.type === "quantitative" ? encoding.y.field : null;
  return new Set(rowsIn(spec).filter((row) => !field || typeof row[field] === "number")
    .map((row) => row.id));
}

// The rows of a chart, those of the page's tables and those of its own.
function rowsIn(spec) {
  const own = spec.data && spec.data.values ? spec.data.values : [];
  return Object.values(spec.datasets).flat().concat(own);
}

function longest(names) {
  return Math.max(0, ...[...names].map((name) => String(name).length)) * LETTER;
}

function fit(spec, width, present) {
  const config = spec.config;
  const columns = Math.max(1, Math.floor(width / (longest(present) + 46)));
  config.legend = { ...config.legend, orient: "top", columns, offset: 10 };
  eachLegend(spec, (legend) => {
    const count = legend.values.length || 1;
    legend.columns = Math.ceil(count / Math.ceil(count / columns)); // rows of equal length
  });
  config.axis = { ...config.axis, labelLimit: Math.min(400, Math.round(width * 0.5)) };
  // A title longer than its axis has room on the left, where the labels are.
  if (width < 440) config.axisX = { ...config.axisX, titleAnchor: "end" };
  if (width < 640) breakNames(spec.spec || spec, rowsIn(spec));
  if (spec.facet) fitPanels(spec, width, config.axis.labelLimit);
  else if (typeof spec.width === "number") {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
    const { least_width: least = 0, most_width: most = Infinity } = spec.usermeta || {};
    if (width < least || width > most) spec.width = width < least ? least : most;
  } else if (spec.usermeta && spec.usermeta.widest_cell) {
    const names = longest(chosenCases());
    const step = (width - Math.min(names, config.axis.labelLimit) - 90) / Math.max(1, present.size);
    spec.width.step = Math.max(spec.width.step, Math.min(step, spec.usermeta.widest_cell));
  }
}

// On a narrow screen the names of settings break between their parameters.
function breakNames(spec, rows) {
  const y = spec.encoding && spec.encoding.y;
  if (!y || y.field !== "setting" || !spec.height || !spec.height.step) return;
  const lines = Math.max(1, ...rows.map((row) => String(row.setting).split(", ").length));
  y.axis = { ...y.axis, labelExpr: "split(datum.label, ', ')", labelLineHeight: 13 };
  spec.height.step = Math.max(spec.height.step, 13 * Math.min(lines, 4) + 6);
}

function eachLegend(part, change) {
  if (!part || typeof part !== "object") return;
  if (isLook(part)) {
    if (part.legend) change(part.legend);
    return;
  }
  for (const [name, value] of Object.entries(part)) {
    if (name !== "datasets") eachLegend(value, change);
  }
}

// Panels share the width: the names of settings stand once, on the left.
function fitPanels(spec, width, limit) {
  const rows = rowsIn(spec);
  const count = Math.max(1, new Set(rows.map((row) => row.case)).size);
  const y = spec.spec.encoding.y;
  const named = y.type === "nominal";
  const shown = rows.flatMap((row) => (y.axis && y.axis.labelExpr ? row.setting.split(", ")
    : [row[y.field]]));
  const names = named ? Math.min(limit, longest(new Set(shown))) : 0;
  const own = spec.resolve.scale.y === "independent";
  const first = named ? names + 16 : own ? 0 : 56;
  const each = own && !named ? 56 : 0;
  const gap = 26;
  const room = width - first - 26;
  // A panel is wide enough for its title, within reason.
  const title = Math.min(longest(new Set(rows.map((row) => row.case))) * 1.1, 400);
  const { least_width: narrow, most_width: wide = Infinity } = spec.usermeta.panels;
  const least = Math.max(narrow, title);
  const most = Math.max(1, Math.min(count, 4, Math.floor((room + gap) / (least + gap + each))));
  const columns = Math.ceil(count / Math.ceil(count / most)); // rows of about equal length
  spec.columns = columns;
  spec.spacing = gap;
  const share = Math.floor((room - gap * (columns - 1)) / columns - each);
  spec.spec.width = Math.max(120, Math.min(share, wide));
  // One panel that is left has the height of a figure of its own.
  if (columns === 1 && count === 1 && typeof spec.spec.height === "number") spec.spec.height = 380;
  if (spec.facet.header) spec.facet.header.labelLimit = spec.spec.width;
}

// Figures of panels have the whole width, and so has the first of all.
function isWide(figure) {
  const spec = report.figures[figure.dataset.figure][0];
  const first = figure.parentNode.querySelector("figure.chart") === figure;
  const steps = spec.width && typeof spec.width === "object";
  return Boolean(spec.facet) || Boolean(steps) || first;
}
