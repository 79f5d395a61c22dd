// Places for the parts of a cluster: rows by kind, each part over or under the middle of what it is joined to.

const outside = ['spine_switch', 'leaf_switch', 'storage_server'];
const rowOf = { nic: 0, storage_device: 0, memory: 1, socket: 1, pcie_switch: 2, gpu: 3, nvswitch: 4 };
const rowGap = 74, boxPad = 26, boxHead = 44, outerGap = 66, mostInARow = 12;
const widths = { gpu: 62, nic: 56, socket: 64, memory: 64, pcie_switch: 86, nvswitch: 90, storage_device: 66, leaf_switch: 92, spine_switch: 92, storage_server: 92 };

// -> {width, height, places: Map vertex -> {x, y, w, h, narrow}, boxes, bundles: Map place -> count}
// Many equal switches or disks share one place, which says how many they are.
export function layout(picture, cables) {
  const neighbours = picture.vertices.map(() => []);
  for (const { from, to } of cables) {
    neighbours[from].push(to);
    neighbours[to].push(from);
  }
  const places = new Map(), bundles = new Map(), boxes = [];
  const above = outside.map((kind) => picture.vertices.flatMap((v, i) => (v.node < 0 && v.kind === kind ? [i] : []))).filter((row) => row.length > 0);
  const rest = picture.vertices.flatMap((v, i) => (v.node < 0 && !outside.includes(v.kind) ? [i] : []));
  if (rest.length > 0) above.push(rest);
  const top = 28 + outerGap * above.length;

  let x = 16, height = top;
  picture.nodes.forEach((node, n) => {
    const made = placeNode(picture, n, neighbours, x, top, places, bundles);
    boxes.push({ x, y: top, w: made.width, h: made.height, node });
    x += made.width + 34;
    height = Math.max(height, top + made.height);
  });
  const width = Math.max(x - 18 + 12, 240);
  above.forEach((row, i) => placeRow(row, picture, neighbours, 16, width - 16, 30 + outerGap * i, places, bundles));
  return { width, height: height + 24, places, boxes, bundles };
}

function placeNode(picture, n, neighbours, left, top, places, bundles) {
  const members = picture.vertices.flatMap((v, i) => (v.node === n ? [i] : []));
  const byRow = new Map();
  for (const i of members) {
    const row = rowOf[picture.vertices[i].kind] ?? 1;
    byRow.set(row, [...(byRow.get(row) ?? []), i]);
  }
  const numbers = [...byRow.keys()].sort((a, b) => a - b);
  const need = (row) => byRow.get(row).reduce((sum, i) => sum + (widths[picture.vertices[i].kind] ?? 70) + 16, 0);
  const width = Math.max(150, Math.min(2 * boxPad + Math.max(...numbers.map(need)), Math.max(430, 1000 / picture.nodes.length)));
  const y = (row) => top + boxHead + 18 + numbers.indexOf(row) * rowGap;
  // GPUs first: the others follow them.
  const order = [...numbers].sort((a, b) => Math.abs(a - 3) - Math.abs(b - 3));
  for (const row of order) placeRow(byRow.get(row), picture, neighbours, left + boxPad, left + width - boxPad, y(row), places, bundles);
  const sag = byRow.has(3) && !byRow.has(4) ? 26 : 0; // room for links between GPUs
  return { width, height: boxHead + 18 + (numbers.length - 1) * rowGap + 44 + sag };
}

function placeRow(row, picture, neighbours, from, to, y, places, bundles) {
  const groups = bundled(row, picture);
  const wish = groups.map(({ members }) => {
    const near = members.flatMap((i) => neighbours[i]).map((j) => places.get(j)).filter((place) => place && place.y !== y);
    return near.length ? near.reduce((sum, place) => sum + place.x, 0) / near.length : null;
  });
  groups.forEach(({ members }, i) => { // memory stands beside its processor
    if (picture.vertices[members[0]].kind !== 'memory') return;
    const at = groups.findIndex((group) => group.members.some((j) => neighbours[members[0]].includes(j)));
    if (at >= 0 && wish[at] !== null) wish[i] = wish[at] + 1;
  });
  const order = groups.map((_, i) => i).sort((a, b) => (wish[a] ?? Infinity) - (wish[b] ?? Infinity) || a - b);
  const slot = (to - from) / groups.length;
  const w = (i) => Math.min(widths[picture.vertices[groups[i].members[0]].kind] ?? 70, slot - 12);
  const xs = spread(order.map((i, k) => wish[i] ?? from + slot * (k + 0.5)), order.map((i) => w(i) + 12), from, to);
  order.forEach((i, k) => {
    const kind = picture.vertices[groups[i].members[0]].kind;
    const place = { x: xs[k], y, w: w(i), h: kind === 'gpu' ? 44 : 28, narrow: w(i) < (kind === 'gpu' ? 40 : 32) };
    for (const member of groups[i].members) places.set(member, place);
    if (groups[i].members.length > 1) bundles.set(place, groups[i].members.length);
  });
}

// Where a row is too long, those of a kind become one: the least telling kind first.
function bundled(row, picture) {
  const kinds = new Map();
  for (const i of row) kinds.set(picture.vertices[i].kind, [...(kinds.get(picture.vertices[i].kind) ?? []), i]);
  const groups = new Map([...kinds].map(([kind, members]) => [kind, members.map((i) => ({ members: [i] }))]));
  for (const kind of ['storage_device', 'storage_server', 'spine_switch', 'leaf_switch', 'nic', 'nvswitch', 'pcie_switch']) {
    const count = [...groups.values()].reduce((sum, list) => sum + list.length, 0);
    if (count > mostInARow && groups.get(kind)?.length > 1) groups.set(kind, [{ members: kinds.get(kind) }]);
  }
  return [...groups.values()].flat();
}

// The places nearest to those wished for, in order, without overlap and inside the row.
function spread(wishes, sizes, from, to) {
  const xs = [...wishes];
  let edge = from;
  xs.forEach((x, i) => {
    xs[i] = Math.max(x, edge + sizes[i] / 2);
    edge = xs[i] + sizes[i] / 2;
  });
  edge = to;
  for (let i = xs.length - 1; i >= 0; --i) {
    xs[i] = Math.min(xs[i], edge - sizes[i] / 2);
    edge = xs[i] - sizes[i] / 2;
  }
  return xs;
}
