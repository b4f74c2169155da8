import type { PublicKey } from '@market-state/client/verify';
import { UnreadableError } from './read-given';

const KEY_BYTES = /^[A-Za-z0-9_-]{43}$/;
/** From when a key that is given without its times counts as used: from always. */
const ALWAYS_UTC = '1970-01-01T00:00:00.000Z';

/**
 * The keys of a text: the list as the service publishes it, or one key of it.
 * @throws UnreadableError where it holds none
 */
export function keysOf(text: string): readonly PublicKey[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UnreadableError('The keys are not JSON. Give the file /.well-known/market-state-keys.json of the service, or one key of it.');
  }
  const listed = (json as { readonly keys?: unknown } | null)?.keys ?? json;
  const keys = (Array.isArray(listed) ? (listed as unknown[]) : [listed]).flatMap(keyOf);
  if (keys.length === 0) throw new UnreadableError('There is no key in it: a key has "kid", and its 32 bytes as base64url in "x".');
  return keys;
}

function keyOf(json: unknown): readonly PublicKey[] {
  const { kid, x, valid_from_utc: from, valid_to_utc: to } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof kid !== 'string' || typeof x !== 'string' || !KEY_BYTES.test(x)) return [];
  const [validFrom, validTo] = [typeof from === 'string' ? from : ALWAYS_UTC, typeof to === 'string' ? to : null];
  return [{ kid, x, valid_from_utc: validFrom, valid_to_utc: validTo }];
}
