// Numbers as people write them: three significant digits and a prefix that fits, as the program's tables have them
// (sim/write/readable.cc), with "us" and "degC" as a printed page spells them.

const steps = {
  s: [[3 * 86400, 86400, 'd'], [7200, 3600, 'h'], [120, 60, 'min'], [1, 1, 's'], [1e-3, 1e-3, 'ms'], [1e-6, 1e-6, 'µs'], [0, 1e-9, 'ns']],
  J: [[3.6e9, 3.6e9, 'MWh'], [3.6e5, 3.6e6, 'kWh'], [1e3, 1e3, 'kJ'], [0, 1, 'J']],
  W: [[1e6, 1e6, 'MW'], [1e4, 1e3, 'kW'], [0, 1, 'W']],
  B: [[1e12, 1e12, 'TB'], [1e9, 1e9, 'GB'], [1e6, 1e6, 'MB'], [1e3, 1e3, 'kB'], [0, 1, 'B']],
  'B/s': [[1e9, 1e9, 'GB/s'], [1e6, 1e6, 'MB/s'], [1e3, 1e3, 'kB/s'], [0, 1, 'B/s']],
  Hz: [[1e6, 1e6, 'MHz'], [0, 1, 'Hz']],
  g: [[1e6, 1e6, 't'], [1e3, 1e3, 'kg'], [0, 1, 'g']],
};

const isCurrency = (unit) => /^[A-Z]{3}$/.test(unit);

function stepsOf(unit) {
  if (isCurrency(unit)) return [[1e6, 1e6, `M${unit}`], [1e3, 1e3, `k${unit}`], [0, 1, unit]];
  return steps[unit];
}

function threeDigits(value) {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return '0';
  const before = Math.floor(Math.log10(magnitude)) + 1;
  return value.toFixed(Math.min(6, Math.max(0, 3 - before)));
}

export function grouped(text) {
  const [whole, rest] = text.split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (rest === undefined ? '' : `.${rest}`);
}

export const spelled = (unit) => ({ degC: '°C', us: 'µs', 1: '' })[unit] ?? unit;

// The prefix that fits a magnitude: [divisor, unit], for axes and for several values beside each other.
export function scaleOf(magnitude, unit) {
  const table = stepsOf(unit);
  if (!table) return [1, spelled(unit)];
  const [, divisor, name] = table.find(([from]) => Math.abs(magnitude) >= from);
  return [divisor, name];
}

export function readable(value, unit = '') {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const tail = spelled(unit) === '' ? '' : ` ${spelled(unit)}`;
  if (value === 0) return `0${tail}`;
  if (stepsOf(unit)) {
    const [divisor, name] = scaleOf(value, unit);
    return `${grouped(threeDigits(value / divisor))} ${name}`;
  }
  if (Math.abs(value) >= 1e7) return `${grouped(threeDigits(value / 1e6))} M${tail}`;
  if (Math.abs(value) < 1e-3) return String(value) + tail;
  return grouped(threeDigits(value)) + tail;
}

// The labels of an axis that reaches to `most`: one prefix for all, no empty decimals.
export function ticks(most, unit = '') {
  const [divisor, name] = scaleOf(most, unit);
  return (value) => {
    const shown = grouped(String(Number((value / divisor).toPrecision(6))));
    return name === '' ? shown : `${shown} ${name}`;
  };
}

// Powers of ten of an axis without a unit: 10, 10,000, 10 M.
export const powers = (value) => (value >= 1e6 ? `${grouped(String(value / 1e6))} M` : grouped(String(Number(value.toPrecision(3)))));

// "41 %" of 0.41; below 10 % one decimal.
export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return '–';
  const value = 100 * share;
  return `${value.toFixed(Math.abs(value) < 10 && value !== 0 ? 1 : 0)} %`;
}

export const signedPercent = (share) => (share > 0 ? '+' : share < 0 ? '−' : '') + percent(Math.abs(share));

const isShare = (metric) =>
  (metric.unit === '' || metric.unit === '1') && /share|utilization/.test(metric.name ?? '');

export const metricText = (metric) => (isShare(metric) ? percent(metric.value) : readable(metric.value, metric.unit));
