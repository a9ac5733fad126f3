// Tables that can be sorted, searched, turned page by page and saved as CSV.

const PAGE = 25;

class DataTable {
  // columns: [{name, title, text, better, render, wrap}]; rows: a function that gives the rows.
  constructor(place, name, columns, rows) {
    this.name = name;
    this.columns = columns;
    this.rows = rows;
    this.page = 0;
    this.sorted = null;
    this.needle = "";
    this.head = element("thead");
    this.body = element("tbody");
    this.count = element("output", { "aria-live": "polite" });
    this.before = element("button", { type: "button", onclick: () => this.turn(-1) }, "‹ previous");
    this.after = element("button", { type: "button", onclick: () => this.turn(1) }, "next ›");
    place.append(this.tools(), element("div", { class: "scroll", tabindex: "0", role: "region",
      "aria-label": name }, element("table", {}, this.head, this.body)));
    this.writeHead();
    this.update();
  }

  tools() {
    const search = element("input", { type: "search", placeholder: "search",
      "aria-label": `search the table of ${this.name}` });
    search.addEventListener("input", () => { this.needle = search.value.toLowerCase();
      this.page = 0; this.update(); });
    const save = element("button", { type: "button", onclick: () => this.save() }, "CSV");
    save.setAttribute("aria-label", `save the table of ${this.name} as CSV`);
    return element("div", { class: "tools" }, search, save, element("span", { class: "spacer" }),
      this.count, this.before, this.after);
  }

  writeHead() {
    const cells = this.columns.map((column, i) => {
      const button = element("button", { type: "button", onclick: () => this.sort(i) },
        column.title);
      const sort = this.sorted && this.sorted.column === i
        ? (this.sorted.down ? "descending" : "ascending") : "none";
      return element("th", { scope: "col", class: column.text ? "text" : null, "aria-sort": sort },
        column.render ? column.title : button);
    });
    this.head.replaceChildren(element("tr", {}, ...cells));
  }

  sort(i) {
    const again = this.sorted && this.sorted.column === i;
    const first = this.columns[i].better === "more";
    this.sorted = { column: i, down: again ? !this.sorted.down : first };
    this.page = 0;
    this.writeHead();
    this.head.querySelectorAll("th")[i].querySelector("button").focus();
    this.update();
  }

  found() {
    let rows = this.rows();
    if (this.needle) {
      const names = this.columns.map((column) => column.name);
      rows = rows.filter((row) => names.some((name) =>
        String(row[name] ?? "").toLowerCase().includes(this.needle)));
    }
    if (this.sorted) {
      const { column, down } = this.sorted;
      const name = this.columns[column].name;
      rows = [...rows].sort((a, b) => compare(a[name], b[name], down));
    }
    return rows;
  }

  turn(step) {
    this.page += step;
    this.update();
  }

  update() {
    const rows = this.found();
    const last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
    this.page = Math.min(Math.max(this.page, 0), last);
    const start = this.page * PAGE;
    const best = this.best(rows);
    this.body.replaceChildren(...rows.slice(start, start + PAGE).map((row) =>
      element("tr", {}, ...this.columns.map((column) => cell(row, column, best)))));
    const end = Math.min(start + PAGE, rows.length);
    this.count.textContent = rows.length ? `${start + 1}–${end} of ${rows.length}` : "no rows";
    this.before.disabled = this.page === 0;
    this.after.disabled = this.page === last;
  }

  best(rows) {
    const found = {};
    for (const column of this.columns) {
      if (!column.better || !column.mark) continue;
      const groups = new Map(); // values on unlike data do not compare
      for (const row of rows) {
        if (typeof row[column.name] !== "number" || noteOf(row, column)) continue;
        groups.set(row.case, [...(groups.get(row.case) || []), row[column.name]]);
      }
      found[column.name] = new Map([...groups].filter(([, values]) => values.length > 1)
        .map(([name, values]) => [name, values.reduce((a, b) =>
          (column.better === "more" ? Math.max(a, b) : Math.min(a, b)))]));
    }
    return found;
  }

  save() {
    const columns = this.columns.filter((column) => column.name);
    const lines = [columns.map((column) => quoted(column.name)).join(",")];
    for (const row of this.found()) {
      lines.push(columns.map((column) => quoted(row[column.name])).join(","));
    }
    const blob = new Blob([lines.join("\n") + "\n"], { type: "text/csv" });
    const link = element("a", { href: URL.createObjectURL(blob), download: `${this.name}.csv` });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

// What speaks against a mean: a sign, then words ("(18 of 30) mean over …", "▾ worse than …").
function noteOf(row, column) {
  return column.note ? row[column.note] : null;
}

function cell(row, column, best) {
  const content = column.render ? column.render(row) : shown(row[column.name]);
  const classes = [column.text ? "text" : "", column.wrap ? "wrap" : ""];
  const note = noteOf(row, column);
  if (note) classes.push("noted");
  else if (column.name in best && best[column.name].get(row.case) === row[column.name]) {
    classes.push("best");
  }
  const at = note ? note.indexOf(" ") : 0;
  const mark = note ? element("small", { class: "note", title: note.slice(at + 1) },
    ` ${note.slice(0, at)}`) : null;
  return element("td", { class: classes.join(" ").trim() || null }, content, mark);
}

function compare(a, b, down) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  const order = typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
  return down ? -order : order;
}

function quoted(value) {
  if (value === null || value === undefined) return "NA";
  // No spreadsheet takes it for a formula, as in the files beside the page.
  const formula = typeof value === "string" && /^[=+\-@\t\n\uff1d\uff0b\uff0d\uff20]/.test(value) && (!value.trim() || Number.isNaN(Number(value)));
  const text = (formula ? "'" : "") + String(value).replace(/\r\n?/g, "\n");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
