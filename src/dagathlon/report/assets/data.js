// The data of the report: tables by columns become rows; filters choose among them.

const report = JSON.parse(document.getElementById("report-data").textContent);

function rowsOf(table) {
  const names = Object.keys(table);
  const values = names.map((name) => {
    const column = table[name];
    if (Array.isArray(column)) return column;
    return column.codes.map((code) => (code < 0 ? null : column.levels[code]));
  });
  const count = names.length ? values[0].length : 0;
  const rows = new Array(count);
  for (let i = 0; i < count; i++) {
    const row = {};
    for (let j = 0; j < names.length; j++) row[names[j]] = values[j][i];
    rows[i] = row;
  }
  return rows;
}

const tables = {
  runs: rowsOf(report.runs),
  settings: rowsOf(report.settings),
  by_data: rowsOf(report.by_data),
};
tables.runs.forEach((row, i) => { row.run = i; });

const algorithms = Object.keys(report.look);
const cases = [...new Set(tables.runs.map((row) => row.case))];

// Parameters that differ between the settings of an algorithm, with all their values.
function variedParameters() {
  const seen = new Map();
  const idOf = new Map(tables.runs.map((row) => [row.setting, row.id]));
  for (const [setting, values] of Object.entries(report.parameters)) {
    for (const [name, value] of Object.entries(values)) {
      if (!seen.has(name)) seen.set(name, new Map());
      const byId = seen.get(name);
      const id = idOf.get(setting);
      if (!byId.has(id)) byId.set(id, new Set());
      byId.get(id).add(JSON.stringify(value));
    }
  }
  const varied = {};
  for (const [name, byId] of seen) {
    const several = [...byId.values()].filter((values) => values.size > 1);
    if (several.length) varied[name] = [...new Set(several.flatMap((values) => [...values]))];
  }
  return varied;
}

const parameters = variedParameters();

const filters = { ids: new Set(algorithms), case: "", factors: {}, parameters: {} };

function passesCase(name) {
  if (filters.case && name !== filters.case) return false;
  return Object.entries(filters.factors).every(([factor, value]) =>
    value === "" || String(report.factors[factor][name]) === value);
}

function passes(row) {
  if (!filters.ids.has(row.id)) return false;
  if (row.case && !passesCase(row.case)) return false;
  for (const [name, value] of Object.entries(filters.parameters)) {
    const own = report.parameters[row.setting];
    if (value !== "" && own && name in own && JSON.stringify(own[name]) !== value) return false;
  }
  return true;
}

function chosenCases() {
  return cases.filter(passesCase);
}

function isFiltered() {
  const set = (values) => Object.values(values).some((value) => value !== "");
  return filters.ids.size < algorithms.length || filters.case !== "" || set(filters.factors)
    || set(filters.parameters);
}

function chosen(name) {
  return tables[name].filter(passes);
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  return size >= 1e9 || size < 1e-6 ? value.toExponential(2) : String(+value.toPrecision(4));
}

function titleOf(metric) {
  const title = report.metrics[metric] ? report.metrics[metric].title : metric.replaceAll("_", " ");
  return title.replace(/ ([↑↓])$/, "\u00a0$1"); // the arrow stays with its word
}
