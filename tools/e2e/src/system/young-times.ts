/** Times not about data: expiries, computation times of shifted recordings, key validity, build times. */
const NOT_OF_DATA: ReadonlySet<string> = new Set([
  'fresh_until_utc',
  'packet_generated_at_utc',
  'key_valid_from_utc',
  'build_time_utc',
  'release_recorded_at_utc',
  'release_contract_generated_at_utc',
]);

const RFC_3339 = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const EPOCH_MS_FROM = 1_500_000_000_000;

/** Path and value of each time in a JSON value later than `latestMs`. */
export function youngTimes(value: unknown, latestMs: number, place = '$'): string[] {
  if (typeof value === 'number')
    return value > latestMs && value > EPOCH_MS_FROM && value < 10 * EPOCH_MS_FROM ? [`${place}: ${value}`] : [];
  if (typeof value === 'string')
    return (value.match(RFC_3339) ?? []).filter((text) => Date.parse(text) > latestMs).map((text) => `${place}: ${text}`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (NOT_OF_DATA.has(name) ? [] : youngTimes(inner, latestMs, `${place}.${name}`)));
}
