import { marketData } from '@market-state/contracts';
import { type BookLevel, type Channel, CHANNELS, type SourceKind, type TradeEvent } from '@market-state/market-data';
import type { ReadVenue } from './read-venue';

const CHANNEL_TO_PROTO: Readonly<Record<Channel, marketData.Channel>> = {
  book: marketData.Channel.BOOK,
  trade: marketData.Channel.TRADE,
  context: marketData.Channel.CONTEXT,
  liquidation: marketData.Channel.LIQUIDATION,
  control: marketData.Channel.CONTROL,
};

const SOURCE_KINDS: ReadonlyMap<SourceKind, marketData.SourceKind> = new Map([
  ['live', marketData.SourceKind.LIVE],
  ['recorded', marketData.SourceKind.RECORDED],
  ['simulated', marketData.SourceKind.SIMULATED],
]);

export function toProtoChannel(channel: Channel): marketData.Channel {
  return CHANNEL_TO_PROTO[channel];
}

/** Undefined for an unknown channel. */
export function fromProtoChannel(value: marketData.Channel): Channel | undefined {
  return CHANNELS.find((channel) => CHANNEL_TO_PROTO[channel] === value);
}

/** Unspecified until the feed has reported it. */
export function toProtoSourceKind(kind: SourceKind | undefined): marketData.SourceKind {
  return (kind && SOURCE_KINDS.get(kind)) ?? marketData.SourceKind.UNSPECIFIED;
}

/** The venue and the kind of its source, as every response names them. */
export function toProtoSource({ venue, sourceKind }: Pick<ReadVenue, 'venue' | 'sourceKind'>) {
  return { venue, sourceKind: toProtoSourceKind(sourceKind) };
}

/** Undefined until the feed has reported it. */
export function fromProtoSourceKind(value: marketData.SourceKind): SourceKind | undefined {
  return [...SOURCE_KINDS].find(([, kind]) => kind === value)?.[0];
}

export function toProtoLevel({ price, size, venueSize }: BookLevel): marketData.BookLevel {
  return { price, size, venueSize: venueSize ?? '' };
}

/** `<pass>:<venue id>`, or only the venue's id on a live feed. */
export function passedId(pass: number, venueId: string): string {
  return pass === 0 ? venueId : `${pass}:${venueId}`;
}

export function toProtoTrade(trade: TradeEvent): marketData.TradeRow {
  const { pass, venueId, price, size, venueSize, aggressorSide, exchangeTsMs, receivedTsMs } = trade;
  return {
    tradeId: passedId(pass, venueId),
    price,
    size,
    venueSize: venueSize ?? '',
    aggressorSide: aggressorSide === 'buy' ? marketData.AggressorSide.BUY : marketData.AggressorSide.SELL,
    exchangeTsMs,
    receivedTsMs,
    pass,
    venueId,
  };
}
