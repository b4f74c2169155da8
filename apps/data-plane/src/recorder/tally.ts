import { TradeCandles } from '@market-state/live-market';
import { channelOf } from '@market-state/market-data';
import type { RecordedEntry } from '../store/log-entry-row';
import type { HourChange, Totals } from '../store/totals';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Hour = { -readonly [K in keyof HourChange]: HourChange[K] };

/**
 * What entries add to the counts of hours and to candles. Entries whose ordinal is in `repeats` are counted as duplicates and are in no
 * candle; they belong to the stretch of the log that an hour is.
 */
export function tally(entries: readonly RecordedEntry[], repeats: ReadonlySet<number>): Totals {
  const hours = new Map<string, Hour>();
  const current = new Map<string, Hour>();
  const candles = new TradeCandles(MINUTE_MS);
  for (const { entry, event } of entries) {
    const channel = channelOf(event);
    const hourMs = Math.floor(event.receivedTsMs / HOUR_MS) * HOUR_MS;
    let hour = current.get(channel);
    if (hour?.hour_ms !== hourMs) {
      const key = `${channel} ${hourMs}`;
      hour = hours.get(key) ?? startHour(channel, hourMs, entry.ordinal, event.exchangeTsMs);
      hours.set(key, hour);
      current.set(channel, hour);
    }
    const isRepeat = repeats.has(entry.ordinal);
    if (isRepeat) hour.duplicate_total += 1;
    else hour.row_total += 1;
    hour.payload_bytes += entry.payload.byteLength;
    hour.last_ordinal = entry.ordinal;
    if (event.exchangeTsMs < hour.min_exchange_ms) hour.min_exchange_ms = event.exchangeTsMs;
    if (event.exchangeTsMs > hour.max_exchange_ms) hour.max_exchange_ms = event.exchangeTsMs;
    if (event.kind === 'trade' && !isRepeat) candles.add(event);
  }
  return { hours: [...hours.values()], candles: candles.list() };
}

function startHour(channel: Hour['channel'], hourMs: number, ordinal: number, exchangeTsMs: number): Hour {
  return {
    channel,
    hour_ms: hourMs,
    row_total: 0,
    duplicate_total: 0,
    payload_bytes: 0,
    first_ordinal: ordinal,
    last_ordinal: ordinal,
    min_exchange_ms: exchangeTsMs,
    max_exchange_ms: exchangeTsMs,
  };
}
