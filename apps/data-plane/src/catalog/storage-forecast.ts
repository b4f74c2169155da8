import type { HotSize, WrittenChannel } from '../store/catalog';
import type { Retention } from '../store/retention';

const DAY_MS = 86_400_000;
/** A shorter record says nothing of a day. */
const RECORDED_MS_MIN = 60_000;

/** Bytes that one channel of a symbol grows by in a day, before anything is dropped. */
export interface DailyBytes {
  /** Hot rows, on disk. */
  readonly hot: number;
  readonly archived: number;
}

/** Bytes on disk of one byte of payload in a channel's hot rows: columns and indexes come on top. 1 where it is not known. */
export function diskFactor({ diskBytes, payloadBytes }: HotSize): number {
  return payloadBytes > 0 && diskBytes > 0 ? diskBytes / payloadBytes : 1;
}

/** What was written, as if it went on so for a day; files take what they take of the payload now. 0 before the first minute. */
export function dailyBytes({ payloadBytes, recordedMs, archivedBytes, archivedPayloadBytes }: WrittenChannel, factor: number): DailyBytes {
  if (recordedMs < RECORDED_MS_MIN) return { hot: 0, archived: 0 };
  const payload = (payloadBytes / recordedMs) * DAY_MS;
  return {
    hot: Math.round(payload * factor),
    archived: archivedPayloadBytes === 0 ? 0 : Math.round((payload * archivedBytes) / archivedPayloadBytes),
  };
}

/**
 * Days until the disk is full; undefined while nothing grows, or nothing is known of the disk. Where days of a channel are dropped,
 * as much goes as comes: its hot rows grow no more; the same holds for its files.
 */
export function daysLeft(channels: readonly { readonly channel: string; readonly bytes: DailyBytes }[], retention: Retention, freeBytes: number | undefined): number | undefined {
  const growth = channels.reduce((sum, { channel, bytes }) => {
    const { hotFromMs, archiveFromMs } = retention.of(channel);
    return sum + (hotFromMs > 0 ? 0 : bytes.hot) + (archiveFromMs > 0 ? 0 : bytes.archived);
  }, 0);
  return growth <= 0 || freeBytes === undefined ? undefined : freeBytes / growth;
}
