import { failedPrecondition } from '@market-state/errors';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { Recorded } from '../store/recorded';
import type { Retention } from '../store/retention';

/** From where on every one of these channels is kept, exchange time. */
export function keptFromMs({ fromMs }: Recorded, retention: Retention, channels: readonly Channel[]): number {
  return Math.max(fromMs ?? 0, ...channels.map((channel) => retention.of(channel).archiveFromMs));
}

/** @throws ServiceError FAILED_PRECONDITION `beyond_retention` when a span ends before any of these channels (none: all) is kept */
export function refuseBeyondRetention(
  { symbol, endMs }: { readonly symbol: string; readonly endMs: number },
  { fromMs }: Recorded,
  retention: Retention,
  channels: readonly Channel[],
): void {
  const kept = channels.length === 0 ? CHANNELS : channels;
  const oldestMs = Math.max(fromMs ?? 0, Math.min(...kept.map((channel) => retention.of(channel).archiveFromMs)));
  if (endMs > oldestMs) return;
  throw failedPrecondition('beyond_retention', `Rows of ${symbol} from before ${new Date(oldestMs).toISOString()} are not kept.`, {
    metadata: { oldest_ms: String(oldestMs) },
  });
}

/** The instant that a reading is as of: cut to the last up to which everything received is recorded. `asOfMs` 0: now. */
export function settledInstant({ clockMs }: Recorded, asOfMs: number): number {
  const settledMs = (clockMs ?? 0) - 1;
  return Math.max(0, asOfMs === 0 ? settledMs : Math.min(asOfMs, settledMs));
}
