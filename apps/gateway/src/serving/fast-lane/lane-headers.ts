import { API_KEY_HEADER } from '../auth/authorise';
import { BOUND_HEADERS } from '../metering/spend-bounds';

/** What the lane wants to know of a request's headers; undefined where it has none. */
export interface LaneHeaders {
  readonly key: string;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly requestId: string | undefined;
}

type Wanted = 'key' | 'acceptEncoding' | 'ifNoneMatch' | 'requestId';

const WANTED: ReadonlyMap<string, Wanted | 'bound'> = new Map([
  [API_KEY_HEADER, 'key' as const],
  ['accept-encoding', 'acceptEncoding' as const],
  ['if-none-match', 'ifNoneMatch' as const],
  ['x-request-id', 'requestId' as const],
  ...BOUND_HEADERS.map((name) => [name, 'bound'] as const),
]);

const LENGTHS: ReadonlySet<number> = new Set([...WANTED.keys()].map(({ length }) => length));

/**
 * Reads names and values in turns, as they were sent: `headers`, which Node would make of them, costs as much as all else that the lane does.
 * @returns null without a key, with a bound on what the call may cost, and where a header that counts was sent twice
 */
export function readLaneHeaders(rawHeaders: readonly string[]): LaneHeaders | null {
  const found: Record<Wanted, string | undefined> = {
    key: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    requestId: undefined,
  };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const wanted = LENGTHS.has(name.length) ? WANTED.get(name.toLowerCase()) : undefined;
    if (wanted === undefined) continue;
    if (wanted === 'bound' || found[wanted] !== undefined) return null;
    found[wanted] = rawHeaders[at + 1];
  }
  const { key, ...others } = found;
  return key === undefined ? null : { key, ...others };
}
