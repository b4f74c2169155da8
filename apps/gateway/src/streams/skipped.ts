import { CHANNEL_NAMES, type ChannelName } from '../clients/channel-name';
import { makeMessage } from './frame';
import type { StreamPosition } from './position';
import type { Tally } from './ring';

/** What a reader that was too slow missed between two positions. */
export interface Skipped {
  readonly from: StreamPosition;
  readonly to: StreamPosition;
  readonly rowTotal: number;
  readonly gapTotal: number;
  readonly byChannel: Readonly<Partial<Record<ChannelName, number>>>;
}

/** What was dropped and not had, of the channels a reader wants; null when that is nothing. */
export function skippedOf(
  from: StreamPosition,
  to: StreamPosition,
  dropped: Tally,
  had: Tally,
  channels: ReadonlySet<ChannelName>,
): Skipped | null {
  const missed = (name: string): number => Math.max(0, (dropped[name] ?? 0) - (had[name] ?? 0));
  const wanted = CHANNEL_NAMES.filter((channel) => channels.has(channel));
  const byChannel = Object.fromEntries(wanted.map((channel) => [channel, missed(channel)]));
  const rowTotal = wanted.reduce((total, channel) => total + missed(channel), 0);
  const gapTotal = ['', ...wanted].reduce((total, channel) => total + missed(`gap:${channel}`), 0);
  return rowTotal + gapTotal === 0 ? null : { from, to, rowTotal, gapTotal, byChannel };
}

/** Between which ids of a reader's stream messages of a symbol were skipped. */
export interface SkippedSpan {
  readonly symbol: string;
  readonly fromId: string;
  readonly toId: string;
}

/** The `skipped` message. It has no id: a reader that is cut now comes back to `from_id` and misses nothing. */
export function renderSkipped(skipped: Omit<Skipped, 'from' | 'to'>, { symbol, fromId, toId }: SkippedSpan): Buffer {
  return makeMessage('skipped', {
    symbol,
    from_id: fromId,
    to_id: toId,
    row_total: skipped.rowTotal,
    by_channel: skipped.byChannel,
    gap_total: skipped.gapTotal,
  });
}
