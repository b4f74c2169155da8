import { failedPrecondition } from '@market-state/errors';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { Recorded } from '../store/recorded';
import type { Retention } from '../store/retention';

/** Exchange time. */
export function keptFromMs({ fromMs }: Recorded, retention: Retention, channels: readonly Channel[]): number {
  return Math.max(fromMs ?? 0, ...channels.map((channel) => retention.of(channel).archiveFromMs));
}

/** Exchange time from which any of these channels (default: all) is retained. */
function oldestMsOf({ fromMs }: Recorded, retention: Retention, channels: readonly Channel[]): number {
  const kept = channels.length === 0 ? CHANNELS : channels;
  return Math.max(fromMs ?? 0, Math.min(...kept.map((channel) => retention.of(channel).archiveFromMs)));
}

export function isKept(endMs: number, recorded: Recorded, retention: Retention, channels: readonly Channel[]): boolean {
  return endMs > oldestMsOf(recorded, retention, channels);
}

/**
 * @throws ServiceError FAILED_PRECONDITION `beyond_retention` if a span ends before any of these channels (default:
 * all) is retained
 */
export function refuseBeyondRetention(
  { symbol, endMs }: { readonly symbol: string; readonly endMs: number },
  recorded: Recorded,
  retention: Retention,
  channels: readonly Channel[],
): void {
  if (isKept(endMs, recorded, retention, channels)) return;
  const oldestMs = oldestMsOf(recorded, retention, channels);
  throw failedPrecondition('beyond_retention', `Rows of ${symbol} from before ${new Date(oldestMs).toISOString()} are not kept.`, {
    metadata: { oldest_ms: String(oldestMs) },
  });
}

/** `asOfMs` 0: now. */
export function settledInstant({ clockMs }: Recorded, asOfMs: number): number {
  const settledMs = (clockMs ?? 0) - 1;
  return Math.max(0, asOfMs === 0 ? settledMs : Math.min(asOfMs, settledMs));
}
