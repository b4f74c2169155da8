import type { HotSize, WrittenChannel } from '../store/catalog';
import type { Retention } from '../store/retention';

const DAY_HOURS = 24;

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

/** The mean of the hours that there are, as if it went on for a day. */
export function dailyBytes(written: WrittenChannel, factor: number): DailyBytes {
  return {
    hot: written.hours === 0 ? 0 : Math.round(((written.payloadBytes * factor) / written.hours) * DAY_HOURS),
    archived: written.archivedHours === 0 ? 0 : Math.round((written.archivedBytes / written.archivedHours) * DAY_HOURS),
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
