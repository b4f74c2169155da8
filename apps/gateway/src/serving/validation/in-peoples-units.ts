const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A length of time in the largest unit that it is a whole number of: `31 days`, `1 hour`, `90 seconds`. @param ms whole seconds */
export function inPeoplesUnits(ms: number): string {
  const [unitMs, name] = UNITS.find(([lengthMs]) => ms >= lengthMs && ms % lengthMs === 0) ?? [1_000, 'second'];
  const total = ms / unitMs;
  return `${total} ${name}${total === 1 ? '' : 's'}`;
}
