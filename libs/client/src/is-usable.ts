/** What an answer, a packet or a row of one says of its state; whatever else it has is not looked at. */
interface Stated {
  readonly state?: unknown;
  readonly packet?: unknown;
  readonly rows?: unknown;
  readonly meta?: unknown;
}

const UNUSABLE_STATE = 'insufficient_evidence';

/**
 * Whether an answer may be acted on: false where its data is stale or missing, or where the state of any of its packets is
 * `insufficient_evidence`. A program that cannot look at the reasons stops there.
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
