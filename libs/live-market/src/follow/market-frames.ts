import { marketData } from '@market-state/contracts';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';
import type { GapSpan } from '../gap-spans';
import { toProtoChannel, toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';

type Frame = marketData.FollowMarketResponse;
const { Channel } = marketData;

/** Entries, and gaps, of one message. */
const PART = 1_000;

/** All that a market is now, in messages of bounded size: whoever takes them has one that answers as this does. */
export function marketFrames(market: SymbolMarket, venue: ReadVenue): Frame[] {
  return [
    startFrame(market, venue),
    ...partsOf(history(market)).map((events): Frame => ({ frame: { $case: 'history', value: { entries: events.map(encoded) } } })),
    ...gapFrames(market),
    { frame: { $case: 'whole', value: {} } },
  ];
}

/** The gaps that a market knows of; one message at least. */
export function gapFrames({ gaps }: SymbolMarket): Frame[] {
  const partial = !gaps.isWhole;
  const parts = partsOf(gaps.all());
  return (parts.length === 0 ? [[]] : parts).map((part) => ({ frame: { $case: 'gaps', value: { gaps: part.map(toProtoSpan), partial } } }));
}

export function toProtoVenue(venue: ReadVenue): marketData.MarketVenue {
  return {
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    channels: venue.channels.map(toProtoChannel),
    contractValue: venue.contractValue ?? '',
    bookStalenessMs: venue.stalenessMs('book'),
    tradeStalenessMs: venue.stalenessMs('trade'),
    contextStalenessMs: venue.stalenessMs('context'),
    closingLagMs: venue.closingLagMs,
  };
}

function startFrame(market: SymbolMarket, venue: ReadVenue): Frame {
  const { heard, bookSync, isDisconnected } = market.standing();
  const value = {
    venue: toProtoVenue(venue),
    heard: [...heard].map(([channel, last]) => ({ channel: toProtoChannel(channel), ...last })),
    bookSync,
    disconnected: isDisconnected,
    ...market.clock.standing(),
  };
  return { frame: { $case: 'start', value } };
}

function history({ connected, lastBook, context, tape, liquidations }: SymbolMarket): MarketEvent[] {
  const newest = [connected, lastBook].filter((event) => event !== undefined);
  return [...newest, ...context.events(), ...tape.all(), ...liquidations.all()];
}

function encoded(event: MarketEvent): Buffer {
  return Buffer.from(encodeEvent(event));
}

function toProtoSpan({ gapId, channel, startMs, endMs, isSeam, isWithdrawn = false }: GapSpan): marketData.GapSpan {
  return {
    gapId,
    channel: channel === undefined ? Channel.UNSPECIFIED : toProtoChannel(channel),
    startMs,
    endMs,
    seam: isSeam,
    withdrawn: isWithdrawn,
  };
}

function partsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / PART) }, (_none, part) => all.slice(part * PART, (part + 1) * PART));
}
