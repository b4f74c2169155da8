import fc from 'fast-check';
import type { MarketEvent } from '../src/index';

/** Events as a feed may log them: plain positive decimals, times from the epoch on, 1 to 25 levels a side. */

const time = fc.maxSafeNat();
const count = fc.nat({ max: 2 ** 32 - 1 });
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const fraction = fc.stringMatching(/^[0-9]{0,12}[1-9]$/);
const whole = fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,12}$/));
const unsigned = fc.oneof(whole, fc.tuple(whole, fraction).map((parts) => parts.join('.')));
const positive = unsigned.filter((value) => value !== '0');
const signed = fc.tuple(fc.boolean(), unsigned).map(([isNegative, value]) => (isNegative && value !== '0' ? `-${value}` : value));
const venueSize = fc.tuple(positive, fc.constantFrom('', '0', '00')).map(([value, zeros]) => (value.includes('.') ? value + zeros : value));
const channel = fc.constantFrom('book' as const, 'trade' as const, 'context' as const, 'liquidation' as const, 'control' as const);
const span = { gapId: name, startMs: time, endMs: time };
const envelope = {
  venue: name,
  symbol: fc.stringMatching(/^[A-Z0-9]{1,10}USD-PERP$/),
  pass: count,
  venueId: text,
  exchangeTsMs: time,
  exchangeTsIsReceiveTime: fc.boolean(),
  receivedTsMs: time,
  ordinal: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  epoch: count,
};
const side = fc.array(fc.record({ price: positive, size: positive, venueSize }, { requiredKeys: ['price', 'size'] }), { minLength: 1, maxLength: 25 });
const status = fc.oneof(
  fc.record({
    type: fc.constant('connected'),
    channels: fc.uniqueArray(channel),
    bookStalenessMs: time,
    tradeStalenessMs: time,
    contextStalenessMs: time,
    closingLagMs: time,
    sourceKind: fc.constantFrom('live', 'recorded', 'simulated'),
  }),
  fc.record({ type: fc.constant('disconnected'), reason: text }),
  fc.record(
    { type: fc.constant('gap'), ...span, channel, reason: fc.constantFrom('sequence_gap', 'log_lost', 'feed_down') },
    { requiredKeys: ['type', 'gapId', 'startMs', 'endMs', 'reason'] },
  ),
  fc.record({ type: fc.constant('resynced'), ...span, channel }, { requiredKeys: ['type', 'gapId', 'startMs', 'endMs'] }),
  fc.record({ type: fc.constant('seam'), ...span }),
);
const envelopeKeys = Object.keys(envelope) as (keyof typeof envelope)[];

export const anyEvent = fc.oneof(
  fc.record({ kind: fc.constant('book'), ...envelope, bids: side, asks: side }),
  fc.record(
    { kind: fc.constant('trade'), ...envelope, price: positive, size: positive, venueSize, aggressorSide: fc.constantFrom('buy', 'sell') },
    { requiredKeys: ['kind', 'price', 'size', 'aggressorSide', ...envelopeKeys] },
  ),
  fc.record(
    {
      kind: fc.constant('context'),
      ...envelope,
      fundingRate: signed,
      openInterest: unsigned,
      markPrice: positive,
      oraclePrice: positive,
      midPrice: positive,
      dayVolume: unsigned,
    },
    { requiredKeys: ['kind', ...envelopeKeys] },
  ),
  fc.record({
    kind: fc.constant('liquidation'),
    ...envelope,
    positionSide: fc.constantFrom('long', 'short'),
    price: positive,
    size: positive,
    provenance: fc.constantFrom('venue_reported', 'proxy'),
  }),
  fc.record({ kind: fc.constant('tick'), ...envelope, feedClockMs: time }),
  fc.record({ kind: fc.constant('feed_status'), ...envelope, status }),
) as fc.Arbitrary<MarketEvent>;
