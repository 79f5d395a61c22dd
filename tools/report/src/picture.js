// The cluster as a graph: switches above, nodes as boxes, GPUs coloured by temperature and links by load.
import { figure, onDraw } from './chart.js';
import { h, svg } from './dom.js';
import { layout } from './layout.js';
import { between, inkOn, palette } from './theme.js';
import { percent, readable } from './units.js';

const larger = 1.25; // drawn a little larger than laid out
const coolest = 30, hottest = 90; // degC, the ends of the colour scale

const kindWords = {
  gpu: 'GPU', socket: 'CPU', memory: 'memory', pcie_switch: 'PCIe switch', nvswitch: 'NVSwitch', nic: 'NIC', leaf_switch: 'switch',
  spine_switch: 'spine', storage_device: 'disk', storage_server: 'storage',
};

export function pictureFigure(picture) {
  if (picture.vertices.length === 0) return null;
  const gpuOf = new Map(picture.gpus.map((gpu) => [gpu.vertex, gpu]));
  const cables = pairs(picture);
  const busiest = cables.reduce((a, b) => (b.load > a.load ? b : a), cables[0]);
  const box = h('div', { class: 'picture' });
  onDraw(() => box.replaceChildren(draw(picture, gpuOf, cables, palette())));
  const key = h('div', { class: 'swatches', 'aria-hidden': 'true' },
    scale('GPU temperature', `${coolest} °C`, `${hottest} °C`), scale('Link load', '0 %', '100 %'));
  return figure({
    title: 'Load and heat', wide: true, body: [box, key],
    says: busiest && busiest.load > 0 ? `The busiest link is ${busiest.links[0].name}, ${percent(busiest.load)} full in the mean.` : '',
    data: {
      columns: [{ name: 'Kind' }, { name: 'Name' }, { name: 'Capacity', unit: 'B/s' }, { name: 'Load', text: percent, number: true }, { name: 'Busy', text: percent, number: true },
        { name: 'Temperature', unit: 'degC' }, { name: 'Clock', unit: 'MHz' }, { name: 'Power', unit: 'W' }, { name: 'Held by' }],
      rows: [
        ...picture.gpus.map((gpu) => ['gpu', picture.vertices[gpu.vertex].name, null, null, gpu.busy_share, gpu.temperature_c, gpu.clock_mhz, gpu.power_w, gpu.limit]),
        ...picture.links.map((link) => [link.kind, link.name, link.capacity_bytes_per_s, link.utilization, link.busy_share, null, null, null, null]),
      ],
    },
  });
}

function scale(name, low, high) {
  const stops = [0, 1, 2, 3, 4].map((i) => `var(--heat-${i})`).join(',');
  return h('span', {}, name, h('span', { class: 'soft' }, low), h('span', { style: { width: '90px', height: '10px', borderRadius: '3px', background: `linear-gradient(90deg, ${stops})` } }), h('span', { class: 'soft' }, high));
}

// Both directions of a cable are one line, as full as the fuller.
function pairs({ links }) {
  const cables = new Map();
  for (const link of links) {
    const key = link.from < link.to ? `${link.from} ${link.to}` : `${link.to} ${link.from}`;
    const cable = cables.get(key) ?? { from: Math.min(link.from, link.to), to: Math.max(link.from, link.to), links: [], load: 0 };
    cable.links.push(link);
    cable.load = Math.max(cable.load, link.utilization);
    cables.set(key, cable);
  }
  return [...cables.values()];
}

function draw(picture, gpuOf, cables, colours) {
  const { width, height, places, boxes, bundles } = layout(picture, cables);
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, width: Math.round(width * larger), height: Math.round(height * larger), role: 'img', 'aria-label': `The cluster: ${describe(picture)}`, 'data-points': places.size });
  for (const { x, y, w, h: tall, node } of boxes) {
    root.append(svg('rect', { x, y, width: w, height: tall, rx: 10, fill: 'none', stroke: colours.line, 'stroke-width': 1.5 }));
    if (node.count > 1) // what lies behind
      for (const shift of [5, 10]) root.prepend(svg('rect', { x: x + shift, y: y + shift, width: w, height: tall, rx: 10, fill: colours.paper, stroke: colours.line }));
  }
  for (const cable of cables) {
    const [a, b] = [places.get(cable.from), places.get(cable.to)];
    if (!a || !b || a === b) continue;
    root.append(svg('path', { d: path(a, b), fill: 'none', stroke: between(colours.heat, cable.load), 'stroke-width': 2 + 4 * cable.load, 'stroke-linecap': 'round' },
      svg('title', {}, cable.links.map((link) => `${link.name}: ${percent(link.utilization)} of ${readable(link.capacity_bytes_per_s, 'B/s')}, busy ${percent(link.busy_share)} of the step`).join('\n'))));
  }
  for (const { x, y, node } of boxes) // over the links
    root.append(svg('text', { x: x + 14, y: y + 22, style: { fontWeight: 600, paintOrder: 'stroke', stroke: colours.paper, strokeWidth: '5px' } },
      node.count > 1 ? `${node.name}  × ${node.count}` : node.name));
  const drawn = new Set();
  for (const [i, place] of places) {
    if (drawn.has(place)) continue;
    drawn.add(place);
    root.append(vertex(picture.vertices[i], place, gpuOf.get(i), colours, bundles.get(place)));
  }
  return root;
}

// Straight, or round the outside where both ends lie in one row.
function path(a, b) {
  const beside = a.y === b.y && Math.abs(a.x - b.x) < (a.w + b.w) / 2 + 20 && a.h < 40;
  if (beside) return `M${a.x},${a.y} L${b.x},${b.y}`;
  if (Math.abs(a.y - b.y) > 4) {
    const middle = (a.y + b.y) / 2;
    return `M${a.x},${a.y} C${a.x},${middle} ${b.x},${middle} ${b.x},${b.y}`;
  }
  const sag = Math.min(46, 16 + Math.abs(a.x - b.x) / 9);
  return `M${a.x},${a.y} Q${(a.x + b.x) / 2},${a.y + a.h / 2 + 2 * sag} ${b.x},${b.y}`;
}

function vertex({ name, kind }, place, gpu, colours, bundle) {
  const fill = gpu ? between(colours.heat, (gpu.temperature_c - coolest) / (hottest - coolest)) : colours.wash;
  const ink = gpu ? inkOn(fill) : colours.ink;
  const short = bundle ? `${bundle} ${kindWords[kind] ?? kind}${/[sh]$/.test(kindWords[kind] ?? kind) ? 'es' : 's'}` : place.narrow ? name.replace(/^.*\./, '').replace(/^\D+/, '') : name.replace(/^node\d+\./, '');
  const about = gpu ? `${name}: ${readable(gpu.temperature_c, 'degC')}, ${readable(gpu.clock_mhz, 'MHz')}, ${readable(gpu.power_w, 'W')}, busy ${percent(gpu.busy_share)}${gpu.limit && gpu.limit !== 'none' ? `, held by ${gpu.limit}` : ''}` : `${name} (${kindWords[kind] ?? kind})`;
  const lines = gpu && !place.narrow ? [short, readable(gpu.temperature_c, 'degC')] : [short];
  return svg('g', {}, svg('title', {}, about),
    svg('rect', { x: place.x - place.w / 2, y: place.y - place.h / 2, width: place.w, height: place.h, rx: kind.includes('switch') ? place.h / 2 : 5, fill: gpu ? fill : colours.paper, stroke: gpu ? 'none' : colours.neutral }),
    lines.map((line, i) => svg('text', { x: place.x, y: place.y + 4 + (i - (lines.length - 1) / 2) * 15, 'text-anchor': 'middle', style: { fill: ink, fontSize: place.narrow ? '10px' : '11px', fontWeight: i === 0 ? 600 : 400 } }, line)));
}

function describe(picture) {
  const nodes = picture.nodes.map((node) => `${node.count} × ${node.name} with ${node.gpus} GPUs`).join(', ');
  const temperatures = picture.gpus.map((gpu) => gpu.temperature_c);
  return `${nodes}; GPUs from ${readable(Math.min(...temperatures), 'degC')} to ${readable(Math.max(...temperatures), 'degC')}; ${picture.links.length} links. The table below lists them.`;
}
