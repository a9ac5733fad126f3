// Puts the page together: navigation, filters, tables, charts.

const listed = [];

function select(title, values, onchange) {
  const options = [["", "all"], ...values].map(([value, text]) =>
    element("option", { value }, text));
  const made = element("select", {}, ...options);
  made.addEventListener("change", () => { onchange(made.value); refresh(); });
  return element("label", {}, `${title} `, made);
}

function startFilters() {
  const form = document.getElementById("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    Object.assign(filters, { ids: new Set(algorithms), case: "", factors: {}, parameters: {} });
    refresh();
  }));
  form.append(algorithmChoice());
  const several = Object.keys(report.factors).length > 1;
  if (cases.length > 1 && !several) {
    form.append(select("data", cases.map((name) => [name, name]), (v) => { filters.case = v; }));
  }
  for (const [name, byCase] of several ? Object.entries(report.factors) : []) {
    const values = [...new Set(Object.values(byCase).map(String))];
    form.append(select(name, values.map((v) => [v, v]), (v) => { filters.factors[name] = v; }));
  }
  for (const [name, values] of Object.entries(parameters)) {
    form.append(select(name, values.map((v) => [v, v.replaceAll('"', "")]),
      (v) => { filters.parameters[name] = v; }));
  }
  form.hidden = algorithms.length < 2 && !form.querySelector("select"); // nothing to choose
  form.append(element("button", { type: "reset" }, "reset"),
    element("output", { id: "shown-runs", "aria-live": "polite" }));
}

function algorithmChoice() {
  const boxes = algorithms.map((id) => {
    const box = element("input", { type: "checkbox", checked: true, value: id });
    box.addEventListener("change", () => {
      if (box.checked) filters.ids.add(id); else filters.ids.delete(id);
      refresh();
    });
    return element("label", {}, box, " ", swatch(id), id);
  });
  const all = (state) => () => {
    filters.ids = new Set(state ? algorithms : []);
    boxes.forEach((label) => { label.querySelector("input").checked = state; });
    refresh();
  };
  const choices = element("div", { class: "choices" }, ...boxes,
    element("button", { type: "button", onclick: all(true) }, "all"), " ",
    element("button", { type: "button", onclick: all(false) }, "none"));
  const details = element("details", {}, element("summary", {}, "algorithms"), choices);
  document.addEventListener("click", (event) => {
    if (!details.contains(event.target)) details.open = false;
  });
  details.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { details.open = false; details.firstChild.focus(); }
  });
  return details;
}

function swatch(id) {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = report.look[id];
  return made;
}

function refresh() {
  const count = chosen("runs").length;
  document.getElementById("shown-runs").textContent =
    `${count.toLocaleString("en")} of ${tables.runs.length.toLocaleString("en")} runs`;
  document.documentElement.classList.toggle("filtered", isFiltered());
  listed.forEach((table) => table.update());
  redraw();
  followFilters();
}

function nameColumn() {
  return { name: "setting", title: "algorithm and setting", text: true };
}

function caseColumn() {
  return cases.length > 1 ? [{ name: "case", title: "data", text: true }] : [];
}

function metricColumns(suffix, mark) {
  return report.headlines.map((metric) => ({ name: metric + suffix, title: titleOf(metric),
    better: report.metrics[metric] ? report.metrics[metric].better : "", mark,
    note: mark ? `${metric}_note` : null }));
}

function settingsTable() {
  const ends = ["failed", "skipped"].filter((end) => tables.settings.some((row) => row[end]))
    .map((end) => ({ name: end, title: end }));
  const columns = [nameColumn(), ...caseColumn(), { name: "n_seeds", title: "runs" }, ...ends,
    ...metricColumns("_mean", true)];
  listed.push(new DataTable(document.getElementById("settings"), "settings", columns,
    () => chosen("settings")));
}

function viewColumn() {
  return { title: "", text: true, render: (row) => {
    const button = element("button", { type: "button", onclick: () => openRun(row.run) }, "view");
    button.setAttribute("aria-label", `view ${row.setting}, seed ${row.seed}`);
    return button;
  } };
}

function runsTable() {
  const columns = [nameColumn(), viewColumn(), ...caseColumn(), { name: "seed", title: "seed" },
    { name: "status", title: "status", text: true }, ...metricColumns("", false)];
  const others = Object.keys(report.metrics).filter((name) => !report.headlines.includes(name));
  for (const name of others) columns.push({ name, title: titleOf(name) });
  listed.push(new DataTable(document.getElementById("runs"), "runs", columns,
    () => chosen("runs")));
}

function failureRows() {
  const groups = new Map();
  for (const row of chosen("runs")) {
    if (row.status === "ok") continue;
    const key = JSON.stringify([row.status, row.id, row.reason]);
    if (!groups.has(key)) groups.set(key, { ...row, count: 0 });
    groups.get(key).count += 1;
  }
  return [...groups.values()];
}

function failuresTable() {
  if (!tables.runs.some((row) => row.status !== "ok")) return;
  const section = document.getElementById("failures");
  section.hidden = false;
  const columns = [{ name: "id", title: "algorithm", text: true }, viewColumn(),
    { name: "status", title: "status", text: true }, { name: "count", title: "runs" },
    { name: "reason", title: "reason", text: true, wrap: true }];
  listed.push(new DataTable(section, "failures", columns, failureRows));
}

// Long tables of the evaluations' sections; the filters act on those whose rows say of what.
function listings() {
  for (const place of document.querySelectorAll("[data-listing]")) {
    const name = place.dataset.listing;
    const rows = rowsOf(report.listings[name]);
    if (!rows.length) continue;
    const columns = Object.keys(rows[0]).map((column) =>
      ({ name: column, title: column, text: rows.some((row) => typeof row[column] === "string") }));
    const byCase = rows.every((row) => cases.includes(row.data));
    const byId = rows.every((row) => algorithms.includes(row.id));
    listed.push(new DataTable(place, name, columns, () => rows.filter((row) =>
      (!byCase || passesCase(row.data)) && (!byId || filters.ids.has(row.id)))));
    const below = place.closest("#filters ~ section") && headingOf(place);
    if (below && !byCase && !byId) below.append(tag());
  }
}

// Marks what stands below the filters and is not theirs; it stands out as soon as one is set.
function tag() {
  return element("span", { class: "tag whole", title: "The filters do not act on this." },
    "whole study");
}

// Figures with a choice of kinds of data follow the filters of data, and show all algorithms.
function figureTag(figure) {
  const choice = figure.querySelector("select.variant");
  const byCase = choice && [...choice.options].every((one) => cases.includes(one.textContent));
  return byCase ? element("span", { class: "tag" }, "all algorithms") : tag();
}

function tagWhatIsNotFiltered() {
  for (const table of document.querySelectorAll("#filters ~ section > .scroll")) {
    const heading = headingOf(table);
    if (heading && !heading.querySelector(".tag")) heading.append(tag());
  }
  for (const figure of document.querySelectorAll(
    "#filters ~ section :is(figure.chart, figure.drawn)")) {
    const whole = figure.closest("section").querySelector("h2 > .tag");
    const variants = report.figures[figure.dataset.figure] || [];
    if (whole || variants.some((spec) => namesIn(spec).size)) continue;
    figure.querySelector("h3").append(figureTag(figure));
  }
}

// What stands above a table: the heading that comes before it.
function headingOf(table) {
  for (let at = table.previousElementSibling; at; at = at.previousElementSibling) {
    if (/^H[23]$/.test(at.tagName)) return at;
  }
  return null;
}

function navigation() {
  const nav = document.querySelector("nav");
  for (const section of document.querySelectorAll("main section[data-nav]")) {
    if (section.hidden) continue;
    nav.append(element("a", { href: `#${section.id}` }, section.dataset.nav));
  }
}

const verdictSection = document.getElementById("verdict");
verdictSection.hidden = !verdictSection.querySelector("table");
tagWhatIsNotFiltered();
settingsTable();
runsTable();
failuresTable();
listings();
startFilters();
startCharts();
navigation();
refresh();
document.documentElement.dataset.ready = "yes";
