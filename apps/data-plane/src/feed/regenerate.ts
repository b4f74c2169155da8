import { encodeEvent, type PlacedEvent } from '@market-state/market-data';
import type { LogEnd } from './log-end';

/**
 * Makes a pass's events again, without appending them, up to the one that the log ends with.
 * @returns whether that event is, byte for byte, what the log holds; the events go on after it then
 */
export async function regenerate(
  events: AsyncGenerator<PlacedEvent, void, undefined>,
  logEnd: LogEnd,
  onEvent: (placed: PlacedEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted();
    const next = await events.next();
    if (next.done === true) return false;
    onEvent(next.value);
    const { event } = next.value;
    if (event.ordinal < logEnd.id.ordinal) continue;
    const isSame = event.ordinal === logEnd.id.ordinal && Buffer.compare(encodeEvent(event), logEnd.payload) === 0;
    if (!isSame) await events.return();
    return isSame;
  }
}
