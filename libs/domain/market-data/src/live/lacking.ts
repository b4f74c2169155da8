import type { ContextEvent, FeedStatus, LiquidationEvent, MarketEvent } from '../event';
import type { PlacedEvent } from '../log-writer';
import type { LogTail } from './log-tail';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** What is known of the log beside its tail. */
export interface Junction {
  /** Exchange time up to which the log has everything by itself; undefined where it never heard the market. */
  readonly wholeToMs: number | undefined;
  /** Channels come so far apart, milliseconds. */
  readonly closingLagMs: number;
  /** The log goes on without a hole: then connections and gaps of all channels are those of the standby. */
  readonly isJoined: boolean;
}

/** Of what a standby heard, what the log of another feed lacks: by the venue's ids where it gives any. Ticks are all kept. */
export function lacking(heard: readonly PlacedEvent[], tail: LogTail, junction: Junction): PlacedEvent[] {
  const isLogged = loggedMarket(heard, tail, junction);
  const isWanted = wantedStatus(heard, tail, junction);
  return heard.filter(({ event }) =>
    event.kind === 'tick' || (event.kind === 'feed_status' ? isWanted(event.status, event.ordinal) : !isLogged(event)),
  );
}

/** Gaps of one channel that were open when the oldest of `heard` was made, and that the log must be told of. */
export function gapsToTell(before: readonly Gap[], heard: readonly PlacedEvent[], tail: LogTail, junction: Junction): readonly Gap[] {
  const isWanted = wantedStatus(heard, tail, junction);
  return before.filter((gap) => gap.channel !== undefined && isWanted(gap, 0));
}

type NamedEvent = Exclude<MarketEvent, { kind: 'tick' | 'feed_status' }>;

function loggedMarket(heard: readonly PlacedEvent[], tail: LogTail, junction: Junction): (event: NamedEvent) => boolean {
  const ids = new Set(tail.known.map(({ kind, venueId }) => `${kind} ${venueId}`));
  const books = tail.newest.filter(({ kind }) => kind === 'book');
  const bookIds = new Set(books.map(({ venueId }) => venueId));
  const lastBookMs = books.reduce((latest, { exchangeTsMs }) => Math.max(latest, exchangeTsMs), 0);
  const lastContextOrdinal = lastLoggedContext(heard, tail, junction);
  const liquidations = countsOf(tail.newest.filter(isNamelessLiquidation).map(liquidationKey));

  return (event) => {
    if (event.kind === 'book') return event.exchangeTsMs < lastBookMs || bookIds.has(event.venueId);
    if (event.venueId !== '') return ids.has(`${event.kind} ${event.venueId}`);
    if (event.kind === 'context') return event.ordinal <= lastContextOrdinal;
    if (!isNamelessLiquidation(event)) return false;
    const left = liquidations.get(liquidationKey(event)) ?? 0;
    liquidations.set(liquidationKey(event), left - 1);
    return left > 0;
  };
}

/**
 * The ordinal of the context without an id that is the last one in the log: says the same, and came at nearly the same time. Where there
 * is none, those that came before the end of the log are taken to be in it.
 */
function lastLoggedContext(heard: readonly PlacedEvent[], tail: LogTail, { closingLagMs }: Junction): number {
  const contexts = heard.map(({ event }) => event).filter(isNamelessContext);
  const last = tail.newest.filter(isNamelessContext).at(-1);
  const apartMs = (event: MarketEvent): number => Math.abs(event.receivedTsMs - (last?.receivedTsMs ?? 0));
  const same = contexts.filter((event) => last !== undefined && apartMs(event) <= closingLagMs && contextKey(event) === contextKey(last));
  const nearest = same.reduce<ContextEvent | undefined>(
    (best, event) => (best === undefined || apartMs(event) <= apartMs(best) ? event : best),
    undefined,
  );
  return nearest?.ordinal ?? contexts.filter(({ receivedTsMs }) => receivedTsMs <= tail.feedClockMs).at(-1)?.ordinal ?? 0;
}

/** Which statuses are to be told: gaps that the log does not know and that reach beyond what it has by itself, ends of those it has open. */
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

function isNamelessContext(event: MarketEvent): event is ContextEvent {
  return event.kind === 'context' && event.venueId === '';
}

function isNamelessLiquidation(event: MarketEvent): event is LiquidationEvent {
  return event.kind === 'liquidation' && event.venueId === '';
}

function contextKey(event: ContextEvent): string {
  const { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume, venueFundingRate, fundingIntervalHours } = event;
  return JSON.stringify([
    [fundingRate, openInterest, markPrice, oraclePrice],
    [midPrice, dayVolume, venueFundingRate, fundingIntervalHours],
  ]);
}

function liquidationKey({ exchangeTsMs, positionSide, price, size }: LiquidationEvent): string {
  return JSON.stringify([exchangeTsMs, positionSide, price, size]);
}

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
