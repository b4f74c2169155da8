import type { Channel } from '@market-state/market-data';
import { POLICY_NUMBERS } from '../policy/numbers';
import { readSources, sourceSupportRatio, type SourceInput, readVenueFacts, type VenueFacts } from './families';
import { gapFlags, GapLedger, gapSeconds, type GapSpan } from './gaps';

const T = 1_700_000_000_000;
const ALL: readonly Channel[] = ['book', 'trade', 'context', 'liquidation'];

/** When each channel was last heard of, as an age; left out: never. */
interface Ages {
  readonly book?: number;
  readonly trade?: number;
  readonly context?: number;
}

function input(
  ages: Ages,
  channels: readonly Channel[] = ALL,
  limits: Partial<VenueFacts> = {},
  liquidations: readonly [total: number, proxies: number] = [0, 0],
): SourceInput {
  const at = (age: number | undefined) => (age === undefined ? null : T - age);
  return {
    windowEndMs: T,
    facts: {
      venue: 'test',
      sourceKind: 'simulated',
      channels,
      bookStalenessMs: 5_000,
      tradeStalenessMs: 60_000,
      contextStalenessMs: 120_000,
      closingLagMs: 1_000,
      pass: 0,
      ...limits,
    },
    publicChannels: { test: ALL, quiet: ['book', 'trade'] },
    bookTsMs: at(ages.book),
    tradeTsMs: at(ages.trade),
    contextTsMs: at(ages.context),
    liquidationTsMs: liquidations[0] > 0 ? T - 1 : null,
    liquidationTotal: liquidations[0],
    liquidationProxyTotal: liquidations[1],
  };
}

const verdict = (family: string, read: SourceInput) => {
  const source = readSources(read).find((other) => other.family === family);
  return `${source?.status}: ${source?.reason}`;
};

describe('each family in each status', () => {
  test.each<[string, SourceInput, string]>([
    ['book', input({ book: 0 }), 'resolved: inside_staleness_limit'],
    ['book', input({ book: 5_000 }), 'resolved: inside_staleness_limit'],
    ['book', input({ book: 5_001 }), 'partial: stale'],
    ['book', input({ book: 8_000 }, ALL, { bookStalenessMs: 8_000 }), 'resolved: inside_staleness_limit'],
    ['book', input({}), 'missing: never_seen'],
    ['book', input({ book: 0 }, ['trade']), 'missing: not_in_this_source'],
    ['trades', input({ trade: 60_000 }), 'resolved: inside_staleness_limit'],
    ['trades', input({ trade: 60_001, book: 5_000 }), 'resolved: quiet_while_book_fresh'],
    ['trades', input({ trade: 60_001, book: 5_001 }), 'partial: stale'],
    ['trades', input({ trade: 60_001 }), 'partial: stale'],
    ['trades', input({ trade: 60_001, book: 1 }, ['trade']), 'partial: stale'],
    ['trades', input({ book: 1 }), 'missing: never_seen'],
    ['trades', input({ trade: 1, book: 1 }, ['book']), 'missing: not_in_this_source'],
    ['candles', input({ trade: 60_000 }), 'resolved: inside_staleness_limit'],
    ['candles', input({ trade: 60_001, book: 1 }), 'resolved: quiet_while_book_fresh'],
    ['candles', input({ trade: 60_001 }), 'partial: stale'],
    ['candles', input({ book: 1 }), 'missing: never_seen'],
    ['candles', input({ trade: 1, book: 1 }, ['book']), 'missing: not_in_this_source'],
    ['asset_context', input({ context: 120_000 }), 'resolved: inside_staleness_limit'],
    ['asset_context', input({ context: 120_001, book: 1 }), 'partial: stale'],
    ['asset_context', input({ book: 1 }), 'missing: never_seen'],
    ['asset_context', input({ context: 1 }, ['book', 'trade']), 'missing: not_in_this_source'],
    ['liquidations', input({}), 'resolved: channel_reported'],
    ['liquidations', input({}, ALL, {}, [3, 2]), 'resolved: channel_reported'],
    ['liquidations', input({}, ALL, {}, [3, 3]), 'partial: proxy_only'],
    ['liquidations', input({}, ['book'], {}, [1, 1]), 'partial: proxy_only'],
    ['liquidations', input({}, ['book']), 'missing: not_in_this_source'],
    // where the venue's public feed never has it, where a live source does not ask for it, and of a venue that is not known
    ['liquidations', input({}, ['book'], { venue: 'quiet' }), 'missing: not_reported_by_venue'],
    ['liquidations', input({}, ['book'], { venue: 'quiet', sourceKind: 'live' }), 'missing: not_reported_by_venue'],
    ['liquidations', input({}, ['book'], { sourceKind: 'live' }), 'missing: not_subscribed'],
    ['liquidations', input({}, ['book'], { sourceKind: 'recorded' }), 'missing: not_in_this_source'],
    ['trades', input({ book: 1 }, ['book'], { venue: 'quiet', sourceKind: 'live' }), 'missing: not_subscribed'],
    ['candles', input({ book: 1 }, ['book'], { venue: 'other', sourceKind: 'live' }), 'missing: not_in_this_source'],
    ['asset_context', input({}, ['book'], { venue: 'other', sourceKind: 'recorded' }), 'missing: not_in_this_source'],
  ])('%s', (family, read, expected) => {
    expect(verdict(family, read)).toBe(expected);
  });

  test.each([
    // resolved + 0.5 × partial, of five
    ['all', input({ book: 1, trade: 1, context: 1 }), 1],
    ['a stale context: 4.5 / 5', input({ book: 1, trade: 1, context: 120_001 }), 0.9],
    ['no context, no liquidations: 3 / 5', input({ book: 1, trade: 1 }, ['book', 'trade']), 0.6],
    // a stale book and stale trades (candles with them): 1.5 / 5
    ['everything stale', input({ book: 5_001, trade: 60_001 }, ['book', 'trade']), 0.3],
    ['a book alone: 1 / 5', input({ book: 1 }, ['book']), 0.2],
    ['nothing', input({}, []), 0],
  ])('support with %s', (_name, read, ratio) => {
    expect(sourceSupportRatio(readSources(read))).toBe(ratio);
  });
});

test('a venue may lengthen a staleness limit of the policy, not shorten it', () => {
  const status = {
    type: 'connected',
    channels: ALL,
    bookStalenessMs: 4_999,
    tradeStalenessMs: 60_001,
    contextStalenessMs: 1,
    closingLagMs: 2_000,
    sourceKind: 'live',
  } as const;
  const event = {
    kind: 'feed_status',
    venue: 'v',
    symbol: 's',
    pass: 3,
    venueId: '',
    exchangeTsMs: 0,
    exchangeTsIsReceiveTime: true,
    receivedTsMs: 0,
    ordinal: 1,
    epoch: 1,
    status,
  } as const;
  expect(readVenueFacts(event, status, POLICY_NUMBERS)).toMatchObject({
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_001,
    contextStalenessMs: 120_000,
    closingLagMs: 2_000,
    pass: 3,
  });
});

const span = (startMs: number, endMs: number, fields: Partial<GapSpan> = {}): GapSpan => ({
  gapId: `${startMs}`,
  channel: 'book',
  startMs,
  endMs,
  reason: 'sequence_gap',
  seam: false,
  ...fields,
});

describe('a span and the window (T − 300 s, T]', () => {
  const flagsOf = (one: GapSpan) =>
    gapFlags({
      spans: new GapLedger([one]).within(T, 300_000),
      bookSilent: false,
      contextStale: false,
      liquidationProxyOnly: false,
      reconnectTotal: 0,
      lateTotal: 0,
    });
  const secondsOf = (one: GapSpan) => gapSeconds(new GapLedger([one]).within(T, 300_000), T, 300_000);

  test.each<[string, GapSpan, readonly string[], number]>([
    ['that ended at its start is outside', span(T - 310_000, T - 300_000), [], 0],
    ['that ended 1 ms later overlaps by 1 ms', span(T - 310_000, T - 299_999), ['book_gap'], 0.001],
    ['that begins 1 ms before T overlaps by 1 ms', span(T - 1, T + 10_000), ['book_gap'], 0.001],
    ['that begins at T is outside', span(T, T + 10_000), [], 0],
    ['that is open reaches T', span(T - 12_345, 0), ['book_gap'], 12.345],
    ['that is open since before counts all of it', span(T - 900_000, 0), ['book_gap'], 300],
    ['that covers all of it', span(T - 900_000, T + 1), ['book_gap'], 300],
    ['of trades', span(T - 2_000, T - 1_000, { channel: 'trade' }), ['trade_gap'], 1],
    ['of all channels', span(T - 2_000, T - 1_000, { channel: null }), ['book_gap', 'trade_gap'], 1],
    ['of context has no flag, but seconds', span(T - 2_000, T - 1_000, { channel: 'context' }), [], 1],
    ['of liquidations likewise', span(T - 2_000, T - 1_000, { channel: 'liquidation' }), [], 1],
    ['that is a seam counts its own seconds', span(T - 2_000, T - 800, { channel: null, seam: true }), ['recording_seam'], 1.2],
    ['that is a seam of no length, inside', span(T - 2_000, T - 2_000, { channel: null, seam: true }), ['recording_seam'], 0],
  ])('%s', (_name, one, flags, seconds) => {
    expect([flagsOf(one), secondsOf(one)]).toEqual([flags, seconds]);
  });

  test('seconds are of the union: what two channels miss at once counts once, whatever the order', () => {
    // 10 s to 8 s before T, 9 s to 5 s, 4 s to 3 s: 2 + 3 + 1
    const spans = [
      span(T - 4_000, T - 3_000, { channel: 'trade' }),
      span(T - 9_000, T - 5_000, { channel: 'liquidation' }),
      span(T - 10_000, T - 8_000),
    ];
    expect([gapSeconds(spans, T, 300_000), gapSeconds([...spans].reverse(), T, 300_000)]).toEqual([6, 6]);
  });
});
