const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const STEP = 1_000;

/** `412 B`, `410 kB`, `1.24 GB`: three figures of a size in bytes. */
export function sizeWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / STEP ** power).toPrecision(3))} ${UNITS[power] ?? ''}`;
}
