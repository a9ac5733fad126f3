// Graphs: edges unpacked and drawn, the estimate on the places of the truth.

const CIRCLE = 1, ARROW = 2;
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT_OF_NODE = 22;
const MEANINGS = { correct: "correct", turned: "another direction", missing: "missing",
  wrong: "not in the truth" };

function unpacked(text, count) {
  const edges = new Map();
  let code = 0;
  for (const word of text ? text.split(" ") : []) {
    code += parseInt(word, 36);
    const pair = Math.floor(code / 16);
    edges.set(pair, { i: Math.floor(pair / count), j: pair % count,
      atI: Math.floor((code % 16) / 4), atJ: code % 4 });
  }
  return edges;
}

// The two graphs of a run over the nodes of the truth, or of the estimate when there is none; and
// their classes where both have one.
function graphsOf(run) {
  const stored = report.graphs.runs[run];
  if (!stored) return null;
  const [nodes, truthNumber, text] = stored;
  const names = report.graphs.nodes[nodes];
  const estimate = named(unpacked(text, names.length), names);
  if (truthNumber === null) return { names, places: onCircle(names), estimate, truth: null };
  const stood = report.graphs.truths[truthNumber];
  const trueNames = report.graphs.nodes[stood.nodes];
  const places = stood.at ? trueNames.map((_, k) => [stood.at[2 * k], stood.at[2 * k + 1]])
    : onCircle(trueNames);
  const truth = named(unpacked(stood.edges, trueNames.length), trueNames);
  const found = { names: trueNames, places, estimate, truth };
  if (stored.length > 3) {
    found.classes = {
      estimate: stored[3] === null ? estimate : named(unpacked(stored[3], names.length), names),
      truth: stood.class === null ? truth
        : named(unpacked(stood.class, trueNames.length), trueNames),
    };
  }
  return found;
}

function named(edges, names) {
  const found = new Map();
  for (const edge of edges.values()) {
    const [a, b] = [names[edge.i], names[edge.j]];
    const flip = a > b;
    const made = { from: flip ? b : a, to: flip ? a : b,
      atFrom: flip ? edge.atJ : edge.atI, atTo: flip ? edge.atI : edge.atJ };
    found.set(edgeKey(made), made);
  }
  return found;
}

function edgeKey(edge) {
  return JSON.stringify([edge.from, edge.to]);
}

function onCircle(names) {
  const radius = Math.max(90, names.length * 11);
  return names.map((_, k) => {
    const angle = (2 * Math.PI * k) / names.length - Math.PI / 2;
    return [radius * Math.cos(angle) * 1.25, radius * Math.sin(angle)];
  });
}

function alike(one, other) {
  return one.atFrom === other.atFrom && one.atTo === other.atTo;
}

// Whether the direction of an edge is a choice: the class has it both ways.
function isFree(edge, members) {
  const own = members && members.get(edgeKey(edge));
  const arrow = (one) => one.atFrom === ARROW || one.atTo === ARROW;
  return Boolean(own) && arrow(edge) && !arrow(own);
}

// The edges of the estimate, and those it misses, by what SHD (CPDAG) makes of them: two edges
// agree where the CPDAGs of both graphs do. A graph without one is compared mark by mark.
function compared(graphs) {
  const { estimate, truth } = graphs.classes || graphs;
  const result = [];
  for (const [key, edge] of graphs.estimate) {
    const free = isFree(edge, graphs.classes && estimate);
    const there = graphs.truth && graphs.truth.has(key);
    const kind = !there ? "wrong" : alike(estimate.get(key), truth.get(key)) ? "correct" : "turned";
    result.push({ ...edge, free, kind: graphs.truth ? kind : "" });
  }
  for (const [key, edge] of graphs.truth || []) {
    if (!graphs.estimate.has(key)) result.push({ ...edge, kind: "missing" });
  }
  return result;
}

function trueEdges(graphs) {
  return [...graphs.truth.values()].map((edge) =>
    ({ ...edge, free: isFree(edge, graphs.classes && graphs.classes.truth) }));
}

function drawing(names, places, edges, label) {
  const widths = names.map((name) => Math.max(26, name.length * 7.2 + 12));
  const xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
  const half = Math.max(...widths) / 2 + 8;
  const [left, top] = [Math.min(...xs) - half, Math.min(...ys) - 26];
  const [width, height] = [Math.max(...xs) + half - left, Math.max(...ys) + 26 - top];
  const svg = shape("svg", { viewBox: `${left} ${top} ${width} ${height}`, role: "img",
    "aria-label": label });
  const at = new Map(names.map((name, k) => [name, { x: xs[k], y: ys[k], width: widths[k] }]));
  const drawn = edges.filter((edge) => at.has(edge.from) && at.has(edge.to))
    .map((edge) => ({ edge, made: edgeShape(edge, at) }));
  drawn.forEach(({ made }) => svg.append(made));
  names.forEach((name) => {
    const node = nodeShape(name, at.get(name));
    node.addEventListener("pointerenter", () => pick(svg, drawn, name));
    node.addEventListener("pointerleave", () => pick(svg, drawn, null));
    svg.append(node);
  });
  return svg;
}

// In a dense drawing the edges of one node stand out only when the others step back.
function pick(svg, drawn, name) {
  svg.classList.toggle("picked", name !== null);
  for (const { edge, made } of drawn) {
    made.classList.toggle("near", edge.from === name || edge.to === name);
  }
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function nodeShape(name, place) {
  const group = shape("g", { class: "node" });
  group.append(shape("rect", { x: place.x - place.width / 2, y: place.y - HEIGHT_OF_NODE / 2,
    width: place.width, height: HEIGHT_OF_NODE, rx: 7 }));
  const text = shape("text", { x: place.x, y: place.y + 4 });
  text.textContent = name;
  group.append(text);
  return group;
}

function edgeShape(edge, at) {
  const a = at.get(edge.from), b = at.get(edge.to);
  const group = shape("g", { class: ["edge", edge.kind, edge.free ? "free" : ""]
    .filter(Boolean).join(" ") });
  const dx = b.x - a.x, dy = b.y - a.y;
  const length = Math.hypot(dx, dy) || 1;
  // A slight bend keeps edges apart from the nodes that lie on the straight line.
  const bend = length > 150 ? 0.12 : 0;
  const middle = { x: (a.x + b.x) / 2 - dy * bend, y: (a.y + b.y) / 2 + dx * bend };
  const start = border(a, middle), end = border(b, middle);
  group.append(shape("path", { d: `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}` }));
  tip(group, start, middle, edge.atFrom);
  tip(group, end, middle, edge.atTo);
  const title = shape("title", {});
  const words = [edge.kind && MEANINGS[edge.kind], edge.free ? "either direction" : ""];
  title.textContent = [`${edge.from} ${written(edge)} ${edge.to}`, ...words]
    .filter(Boolean).join(": ");
  group.append(title);
  return group;
}

function written(edge) {
  const left = { [CIRCLE]: "o", [ARROW]: "<" }[edge.atFrom] || "";
  const right = { [CIRCLE]: "o", [ARROW]: ">" }[edge.atTo] || "";
  return `${left}-${right}`;
}

function border(node, towards) {
  const dx = towards.x - node.x, dy = towards.y - node.y;
  const scale = Math.min(node.width / 2 / (Math.abs(dx) || 1e-9),
    HEIGHT_OF_NODE / 2 / (Math.abs(dy) || 1e-9), 1);
  return { x: node.x + dx * scale, y: node.y + dy * scale };
}

function tip(group, end, from, mark) {
  const dx = end.x - from.x, dy = end.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  if (mark === ARROW) {
    const [x, y] = [end.x - ux * 9, end.y - uy * 9];
    group.append(shape("polygon", { class: "tip",
      points: `${end.x},${end.y} ${x - uy * 4},${y + ux * 4} ${x + uy * 4},${y - ux * 4}` }));
  } else if (mark === CIRCLE) {
    group.append(shape("circle", { cx: end.x - ux * 4, cy: end.y - uy * 4, r: 3.5 }));
  }
}
