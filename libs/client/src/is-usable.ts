/** State members of an answer, packet or row. */
interface Stated {
  readonly state?: unknown;
  readonly packet?: unknown;
  readonly rows?: unknown;
  readonly meta?: unknown;
}

const UNUSABLE_STATE = 'insufficient_evidence';

/**
 * False if data is stale or missing, or a packet's state is `insufficient_evidence`. A program that ignores the reasons
 * should stop there.
 */
export function isUsable(answer: object): boolean {
  const { state, packet, rows, meta } = answer as Stated;
  if (state === UNUSABLE_STATE) return false;
  if (isObject(meta) && isObject(meta['response_semantics'])) {
    const { stale, freshness_state: freshness, availability_state: availability } = meta['response_semantics'];
    if (stale === true || freshness === 'stale' || freshness === 'missing' || availability === 'unavailable') return false;
  }
  if (isObject(packet) && !isUsable(packet)) return false;
  return !Array.isArray(rows) || rows.every((row) => !isObject(row) || isUsable(row));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
