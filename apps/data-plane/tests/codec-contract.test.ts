import { marketData } from '@market-state/contracts';
import { decodeEvent, encodeEvent, type Channel, type FeedStatus, type MarketEvent } from '@market-state/market-data';

const { AggressorSide, Channel: WireChannel, LiquidationProvenance, MarketEvent: WireEvent, PositionSide, SourceKind } = marketData;
type WireEvent = marketData.MarketEvent;

const envelope = {
  venue: 'binance-coinm',
  symbol: 'BTCUSD-PERP',
  pass: 3,
  venueId: '1007198635033',
  exchangeTsMs: 1_786_310_818_130,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 1_786_310_816_883,
  ordinal: 4_294_967_297,
  epoch: 2,
};
const level = { price: '61804.7', size: '0.056629997395', venueSize: '35' };
const gap = { gapId: 'gap_0123456789abcdefghjkmnpqrs', startMs: 1_786_310_818_130, endMs: 0 };
const statuses: FeedStatus[] = [
  {
    type: 'connected',
    channels: ['book', 'trade', 'context', 'liquidation', 'control'],
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
    sourceKind: 'recorded',
  },
  { type: 'connected', channels: [], bookStalenessMs: 0, tradeStalenessMs: 0, contextStalenessMs: 0, closingLagMs: 0, sourceKind: 'live' },
  { type: 'disconnected', reason: 'närvaro' },
  { type: 'gap', ...gap, channel: 'book', reason: 'sequence_gap' },
  { type: 'gap', ...gap, reason: 'feed_down' },
  { type: 'gap', ...gap, channel: 'trade', reason: 'log_lost' },
  { type: 'gap', ...gap, reason: 'disconnected' },
  { type: 'gap', ...gap, channel: 'book', reason: 'overflow' },
  { type: 'gap', ...gap, channel: 'trade', reason: 'arrived_late' },
  { type: 'resynced', ...gap, channel: 'book', endMs: 5 },
  { type: 'resynced', ...gap },
  { type: 'seam', ...gap },
];
const events: MarketEvent[] = [
  { ...envelope, kind: 'book', bids: Array.from({ length: 25 }, () => level), asks: [{ price: '61805', size: '0.1' }] },
  { ...envelope, kind: 'book', bids: [], asks: [] },
  { ...envelope, kind: 'trade', price: '61804.8', size: '0.006471989231', venueSize: '4', aggressorSide: 'sell' },
  { ...envelope, kind: 'trade', price: '61804.8', size: '1', aggressorSide: 'buy' },
  {
    ...envelope,
    kind: 'context',
    fundingRate: '-0.0000125',
    openInterest: '12',
    markPrice: '1',
    oraclePrice: '2',
    midPrice: '3',
    dayVolume: '4',
  },
  {
    ...envelope,
    kind: 'context',
    fundingRate: '0.0000125',
    markPrice: '61804.70',
    venueFundingRate: '0.00010000',
    fundingIntervalHours: 8,
  },
  { ...envelope, kind: 'context' },
  { ...envelope, kind: 'liquidation', positionSide: 'long', price: '1', size: '2', provenance: 'venue_reported' },
  {
    ...envelope,
    kind: 'liquidation',
    positionSide: 'long',
    price: '61804.8',
    size: '0.006471989231',
    venueSize: '4',
    provenance: 'venue_reported',
  },
  { ...envelope, kind: 'liquidation', positionSide: 'short', price: '1', size: '2', provenance: 'proxy' },
  { ...envelope, kind: 'tick', venueId: '', feedClockMs: 1_786_310_816_750 },
  {
    ...envelope,
    kind: 'tick',
    exchangeTsMs: -5,
    receivedTsMs: 0,
    exchangeTsIsReceiveTime: true,
    ordinal: 0,
    epoch: 0,
    pass: 0,
    feedClockMs: 0,
  },
  ...statuses.map((status): MarketEvent => ({ ...envelope, kind: 'feed_status', status })),
];

const CHANNELS = {
  book: WireChannel.BOOK,
  trade: WireChannel.TRADE,
  context: WireChannel.CONTEXT,
  liquidation: WireChannel.LIQUIDATION,
  control: WireChannel.CONTROL,
} as const;
const SOURCES = { live: SourceKind.LIVE, recorded: SourceKind.RECORDED, simulated: SourceKind.SIMULATED } as const;

function toWire(event: MarketEvent): WireEvent {
  const { venue, symbol, pass, venueId, exchangeTsMs, exchangeTsIsReceiveTime, receivedTsMs, ordinal, epoch } = event;
  const shared = { venue, symbol, pass, venueId, exchangeTsMs, exchangeTsIsReceiveTime, receivedTsMs, ordinal, epoch };
  return { ...shared, body: toWireBody(event) };
}

function toWireBody(event: MarketEvent): WireEvent['body'] {
  const text = (value: string | undefined): string => value ?? '';
  switch (event.kind) {
    case 'book': {
      const levels = (side: typeof event.bids): marketData.BookLevel[] =>
        side.map(({ price, size, venueSize }) => ({ price, size, venueSize: text(venueSize) }));
      return { $case: 'book', value: { bids: levels(event.bids), asks: levels(event.asks) } };
    }
    case 'trade': {
      const { price, size, venueSize, aggressorSide } = event;
      return {
        $case: 'trade',
        value: { price, size, venueSize: text(venueSize), aggressorSide: aggressorSide === 'buy' ? AggressorSide.BUY : AggressorSide.SELL },
      };
    }
    case 'context': {
      const { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume, venueFundingRate, fundingIntervalHours } = event;
      const value = {
        fundingRate: text(fundingRate),
        openInterest: text(openInterest),
        markPrice: text(markPrice),
        oraclePrice: text(oraclePrice),
        midPrice: text(midPrice),
        dayVolume: text(dayVolume),
        venueFundingRate: text(venueFundingRate),
        fundingIntervalHours: fundingIntervalHours ?? 0,
      };
      return { $case: 'context', value };
    }
    case 'liquidation': {
      const { price, size, venueSize } = event;
      const positionSide = event.positionSide === 'long' ? PositionSide.LONG : PositionSide.SHORT;
      const provenance = event.provenance === 'proxy' ? LiquidationProvenance.PROXY : LiquidationProvenance.VENUE_REPORTED;
      return { $case: 'liquidation', value: { positionSide, price, size, provenance, venueSize: text(venueSize) } };
    }
    case 'tick':
      return { $case: 'tick', value: { feedClockMs: event.feedClockMs } };
    case 'feed_status':
      return { $case: 'feedStatus', value: { status: toWireStatus(event.status) } };
  }
}

function toWireStatus(status: FeedStatus): marketData.FeedStatus['status'] {
  const channelOf = (channel: Channel | undefined): marketData.Channel =>
    channel === undefined ? WireChannel.UNSPECIFIED : CHANNELS[channel];
  switch (status.type) {
    case 'connected': {
      const { bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = status;
      const limits = { bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs };
      return { $case: 'connected', value: { ...limits, channels: status.channels.map(channelOf), sourceKind: SOURCES[status.sourceKind] } };
    }
    case 'disconnected':
      return { $case: 'disconnected', value: { reason: status.reason } };
    case 'gap': {
      const { gapId, channel, startMs, endMs, reason } = status;
      return { $case: 'gap', value: { gapId, channel: channelOf(channel), startMs, endMs, reason } };
    }
    case 'resynced': {
      const { gapId, channel, startMs, endMs } = status;
      return { $case: 'resynced', value: { gapId, channel: channelOf(channel), startMs, endMs } };
    }
    case 'seam': {
      const { gapId, startMs, endMs } = status;
      return { $case: 'seam', value: { gapId, startMs, endMs } };
    }
  }
}

describe('event codec against the generated contract', () => {
  it.each(events.map((event, index) => [index, event.kind, event] as const))(
    'event %i (%s) has the same facts and the same bytes',
    (_index, _kind, event) => {
      const bytes = encodeEvent(event);
      expect(WireEvent.decode(bytes)).toEqual(toWire(event));
      expect(Buffer.from(WireEvent.encode(toWire(event)).finish()).toString('hex')).toBe(Buffer.from(bytes).toString('hex'));
      expect(decodeEvent(WireEvent.encode(toWire(event)).finish())).toEqual(event);
    },
  );
});
