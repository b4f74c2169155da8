import fc from 'fast-check';
import type { Channel, MarketEvent } from '../src/index';

interface EventParts {
  readonly time: fc.Arbitrary<number>;
  readonly ordinal: fc.Arbitrary<number>;
  /** Required names: venue, gap id. */
  readonly name: fc.Arbitrary<string>;
  readonly symbol: fc.Arbitrary<string>;
  /** Texts that may be empty: venue id, reason. */
  readonly text: fc.Arbitrary<string>;
  readonly positive: fc.Arbitrary<string>;
  readonly unsigned: fc.Arbitrary<string>;
  readonly signed: fc.Arbitrary<string>;
  readonly optionalPositive: fc.Arbitrary<string>;
  readonly venueSize: fc.Arbitrary<string>;
  readonly channels: fc.Arbitrary<Channel[]>;
  /** Levels per side. */
  readonly levelTotal: { readonly minLength: number; readonly maxLength: number };
}

/** 0..4,294,967,295. */
export const count = fc.nat({ max: 2 ** 32 - 1 });
export const channel = fc.constantFrom<Channel>('book', 'trade', 'context', 'liquidation', 'control');

/** Events of every kind, with and without optional fields. */
export function eventsOf({
  time,
  text,
  name,
  positive,
  unsigned,
  signed,
  optionalPositive,
  venueSize,
  ...parts
}: EventParts): fc.Arbitrary<MarketEvent> {
  const envelope = {
    venue: name,
    symbol: parts.symbol,
    pass: count,
    venueId: text,
    exchangeTsMs: time,
    exchangeTsIsReceiveTime: fc.boolean(),
    receivedTsMs: time,
    ordinal: parts.ordinal,
    epoch: count,
  };
  const envelopeKeys = Object.keys(envelope) as (keyof typeof envelope)[];
  const span = { gapId: name, startMs: time, endMs: time };
  const side = fc.array(fc.record({ price: positive, size: positive, venueSize }, { requiredKeys: ['price', 'size'] }), parts.levelTotal);
  const status = fc.oneof(
    fc.record({
      type: fc.constant('connected'),
      channels: parts.channels,
      bookStalenessMs: time,
      tradeStalenessMs: time,
      contextStalenessMs: time,
      closingLagMs: time,
      sourceKind: fc.constantFrom('live', 'recorded', 'simulated'),
    }),
    fc.record({ type: fc.constant('disconnected'), reason: text }),
    fc.record(
      {
        type: fc.constant('gap'),
        ...span,
        channel,
        reason: fc.constantFrom('sequence_gap', 'log_lost', 'feed_down', 'disconnected', 'overflow', 'arrived_late'),
      },
      { requiredKeys: ['type', 'gapId', 'startMs', 'endMs', 'reason'] },
    ),
    fc.record({ type: fc.constant('resynced'), ...span, channel }, { requiredKeys: ['type', 'gapId', 'startMs', 'endMs'] }),
    fc.record({ type: fc.constant('seam'), ...span }),
  );
  return fc.oneof(
    fc.record({ kind: fc.constant('book'), ...envelope, bids: side, asks: side }),
    fc.record(
      {
        kind: fc.constant('trade'),
        ...envelope,
        price: positive,
        size: positive,
        venueSize,
        aggressorSide: fc.constantFrom('buy', 'sell'),
      },
      { requiredKeys: ['kind', 'price', 'size', 'aggressorSide', ...envelopeKeys] },
    ),
    fc.record(
      {
        kind: fc.constant('context'),
        ...envelope,
        fundingRate: signed,
        openInterest: unsigned,
        markPrice: optionalPositive,
        oraclePrice: optionalPositive,
        midPrice: optionalPositive,
        dayVolume: unsigned,
        venueFundingRate: signed,
        fundingIntervalHours: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      },
      { requiredKeys: ['kind', ...envelopeKeys] },
    ),
    fc.record(
      {
        kind: fc.constant('liquidation'),
        ...envelope,
        positionSide: fc.constantFrom('long', 'short'),
        price: positive,
        size: positive,
        venueSize,
        provenance: fc.constantFrom('venue_reported', 'proxy'),
      },
      { requiredKeys: ['kind', 'positionSide', 'price', 'size', 'provenance', ...envelopeKeys] },
    ),
    fc.record({ kind: fc.constant('tick'), ...envelope, feedClockMs: time }),
    fc.record({ kind: fc.constant('feed_status'), ...envelope, status }),
  ) as fc.Arbitrary<MarketEvent>;
}

const fraction = fc.stringMatching(/^[0-9]{0,12}[1-9]$/);
const whole = fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,12}$/));
const unsigned = fc.oneof(
  whole,
  fc.tuple(whole, fraction).map((parts) => parts.join('.')),
);
const positive = unsigned.filter((value) => value !== '0');
const asSent = (decimal: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(decimal, fc.constantFrom('', '0', '00'))
    .map(([value, zeros]) => (value.includes('.') || zeros === '' ? value + zeros : `${value}.${zeros}`));

/** Realistic events: plain positive decimals, times from the epoch on, 1 to 25 levels per side. */
export const anyEvent = eventsOf({
  time: fc.maxSafeNat(),
  ordinal: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  symbol: fc.stringMatching(/^[A-Z0-9]{1,10}USD-PERP$/),
  text: fc.string({ unit: 'grapheme', maxLength: 40 }),
  positive,
  unsigned: asSent(unsigned),
  signed: fc.tuple(fc.boolean(), asSent(unsigned)).map(([isNegative, value]) => (isNegative && Number(value) !== 0 ? `-${value}` : value)),
  optionalPositive: asSent(positive),
  venueSize: asSent(positive),
  channels: fc.uniqueArray(channel),
  levelTotal: { minLength: 1, maxLength: 25 },
});
