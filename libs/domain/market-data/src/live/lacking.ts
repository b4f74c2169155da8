import type { FeedStatus } from '../event';
import type { PlacedEvent } from '../log-writer';
import type { LogTail } from './log-tail';
import type { LoggedMarket } from './logged-market';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** What is known of the log beside its tail. */
export interface Junction {
  /** Exchange time up to which the log has everything by itself; undefined where it never heard the market. */
  readonly wholeToMs: number | undefined;
  /** The log goes on without a hole: then connections and gaps of all channels are those of the standby. */
  readonly isJoined: boolean;
}

/** Of what a standby heard, what the log of another feed lacks. Ticks are all kept. */
export function lacking(heard: readonly PlacedEvent[], tail: LogTail, logged: LoggedMarket, junction: Junction): PlacedEvent[] {
  const isWanted = wantedStatus(heard, tail, junction);
  return heard.filter(
    ({ event }) => event.kind === 'tick' || (event.kind === 'feed_status' ? isWanted(event.status, event.ordinal) : !logged.has(event)),
  );
}

/** Gaps of one channel that were open when the oldest of `heard` was made, and that the log must be told of. */
export function gapsToTell(before: readonly Gap[], heard: readonly PlacedEvent[], tail: LogTail, junction: Junction): readonly Gap[] {
  const isWanted = wantedStatus(heard, tail, junction);
  return before.filter((gap) => gap.channel !== undefined && isWanted(gap, 0));
}

/** Which statuses are to be told: gaps that the log does not know and that reach beyond what it has itself, ends of those it has open. */
function wantedStatus(
  heard: readonly PlacedEvent[],
  tail: LogTail,
  { wholeToMs, isJoined }: Junction,
): (status: FeedStatus, ordinal: number) => boolean {
  const statuses = heard.flatMap(({ event }) => (event.kind === 'feed_status' ? [event] : []));
  const ended = new Map<string, number>();
  for (const { status } of statuses)
    if (status.type === 'resynced' || (status.type === 'gap' && status.endMs !== 0)) ended.set(status.gapId, status.endMs);
  const isOver = (gapId: string): boolean => wholeToMs !== undefined && (ended.get(gapId) ?? Infinity) <= wholeToMs;
  const connectionsFrom = firstConnectionEntry(statuses, (gap) => !tail.gaps.has(gap.gapId) && !isOver(gap.gapId));

  return (status, ordinal) => {
    switch (status.type) {
      case 'connected':
      case 'disconnected':
        return isJoined && ordinal >= connectionsFrom;
      case 'seam':
        return false;
      case 'gap':
      case 'resynced': {
        if (status.channel === undefined && !isJoined) return false;
        const logged = tail.gaps.get(status.gapId);
        if (logged === undefined) return !isOver(status.gapId);
        if (status.type === 'gap' && status.reason === 'arrived_late') return logged !== 'withdrawn';
        return logged === 'open' && (status.type === 'resynced' || status.endMs !== 0);
      }
    }
  };
}

/** Where the connections begin that the log must be told of: with the loss of the first that left a gap which it does not know. */
function firstConnectionEntry(
  statuses: readonly { readonly status: FeedStatus; readonly ordinal: number }[],
  isUntold: (gap: Gap) => boolean,
): number {
  let lossOrdinal: number | undefined;
  for (const { status, ordinal } of statuses) {
    if (status.type === 'disconnected') lossOrdinal = ordinal;
    else if (status.type === 'connected') lossOrdinal = undefined;
    else if (status.type === 'gap' && status.channel === undefined && status.endMs === 0 && isUntold(status)) return lossOrdinal ?? ordinal;
  }
  return Infinity;
}
