import { bundleLines, checkBundle, type SigningKey, signingKeyOf, SourceError } from '@market-state/labeler/recompute';
import { fromBase64 } from '@market-state/market-data';
import type { PublishedKey, RecomputeMessage, RecomputeRequest } from './messages';
import { tradesOf } from './move-trade';
import { linesOf } from './one-symbol';

/** Checks a bundle. The last message is the answer; those before it, given to `say`, tell how far it is. */
export async function answerTo(request: RecomputeRequest, say: (message: RecomputeMessage) => void): Promise<RecomputeMessage> {
  const { eventId, tamper, policyFiles } = request;
  try {
    const whole = linesOf(await bundleLines(new Uint8Array(request.bundle)), request.symbol);
    const trades = await tradesOf(whole, eventId);
    const changed = tamper === undefined ? null : trades.move(tamper.trade);
    if (tamper !== undefined && changed === null) return { type: 'refused', lines: [`The bundle has no trade ${tamper.trade}.`] };
    const check = await checkBundle({
      bundle: changed?.bundle ?? whole,
      policyFiles,
      keys: request.keys === null ? null : keysOf(request.keys),
      eventId,
      onProgress: (entryTotal, windowEndMs) => say({ type: 'progress', entryTotal, windowEndMs }),
    });
    return { type: 'checked', check, tradeTotal: trades.total, moved: changed?.moved ?? null };
  } catch (error) {
    if (error instanceof SourceError) return { type: 'refused', lines: error.lines };
    throw error;
  }
}

/** Keys by the id that follows from their bytes: one that is listed under another id is not among them. */
function keysOf(published: readonly PublishedKey[]): ReadonlyMap<string, SigningKey> {
  const keys = new Map<string, SigningKey>();
  for (const { kid, x } of published) {
    const bytes = fromBase64(`${x.replaceAll('-', '+').replaceAll('_', '/')}=`);
    const key = bytes === undefined ? undefined : signingKeyOf(bytes);
    if (key?.keyId === kid) keys.set(kid, key);
  }
  return keys;
}
