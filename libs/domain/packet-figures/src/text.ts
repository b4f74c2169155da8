const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML or SVG content and quoted attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Readable form of a machine word: `depth_only_pressure` → `depth only pressure`. */
export function words(value: string): string {
  return value.replaceAll('_', ' ');
}

/** `12.3 %` */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** `1 packet`, `1,200 packets`. */
export function counted(total: number, noun: string): string {
  return `${total.toLocaleString('en-US')} ${noun}${total === 1 ? '' : 's'}`;
}

/** `45 s`, `2 min 10 s`, `1 h 30 min`: at most two units. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const [minutes, restSeconds] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes < 60) return restSeconds === 0 ? `${minutes} min` : `${minutes} min ${restSeconds} s`;
  const [hours, restMinutes] = [Math.floor(minutes / 60), minutes % 60];
  return restMinutes === 0 ? `${hours} h` : `${hours} h ${restMinutes} min`;
}

/** `2024-08-08 23:54:20` */
export function utc(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Price with at least five significant digits, and at least two decimals from 1 upwards. */
export function price(value: number): string {
  const decimals = value >= 1 ? 2 : Math.min(10, 4 - Math.floor(Math.log10(value)));
  return value.toFixed(decimals);
}

/** Amount with three significant digits: `0.125`, `12.5`, `1.25k`, `3M`. */
export function quantity(value: number): string {
  if (value === 0) return '0';
  const [scaled, unit] = value >= 1_000_000 ? [value / 1_000_000, 'M'] : value >= 1_000 ? [value / 1_000, 'k'] : [value, ''];
  return `${Number(scaled.toPrecision(3))}${unit}`;
}
