import { gapFlags, GapLedger, gapSeconds, type GapSpan } from './gaps';
import { readSources, sourceSupportRatio, type SourceInput } from './families';

const T = 1_000_000;

function input(fields: Partial<SourceInput> & { channels?: SourceInput['facts']['channels'] } = {}): SourceInput {
  return {
    windowEndMs: T,
    bookTsMs: T - 100,
    tradeTsMs: T - 100,
    contextTsMs: T - 100,
    liquidationTsMs: null,
    liquidationTotal: 0,
    liquidationProxyTotal: 0,
    publicChannels: {},
    ...fields,
    facts: {
      venue: 'test',
      sourceKind: 'simulated',
      channels: fields.channels ?? ['book', 'trade', 'context', 'liquidation'],
      bookStalenessMs: 5_000,
      tradeStalenessMs: 60_000,
      contextStalenessMs: 120_000,
      closingLagMs: 1_000,
      pass: 0,
    },
  };
}

const verdicts = (fields: Parameters<typeof input>[0]) => readSources(input(fields)).map(({ status, reason }) => `${status} ${reason}`);

describe('source families', () => {
  test('everything fresh is resolved, liquidations by being reported', () => {
    expect(verdicts({})).toEqual([
      'resolved inside_staleness_limit',
      'resolved inside_staleness_limit',
      'resolved inside_staleness_limit',
      'resolved channel_reported',
      'resolved inside_staleness_limit',
    ]);
  });

  test('a book at its limit is resolved, one past it partial', () => {
    expect(verdicts({ bookTsMs: T - 5_000 })[0]).toBe('resolved inside_staleness_limit');
    expect(verdicts({ bookTsMs: T - 5_001 })[0]).toBe('partial stale');
  });

  test('quiet trades are resolved while the book is fresh, stale otherwise; candles follow them', () => {
    expect(verdicts({ tradeTsMs: T - 60_001 })[1]).toBe('resolved quiet_while_book_fresh');
    expect(verdicts({ tradeTsMs: T - 60_001, bookTsMs: T - 9_000 }).slice(1, 2)).toEqual(['partial stale']);
    expect(verdicts({ tradeTsMs: T - 60_001, bookTsMs: T - 9_000 })[4]).toBe('partial stale');
  });

  test('what the venue does not report, or was never seen, is missing', () => {
    expect(verdicts({ channels: ['book', 'trade'] }).slice(2, 4)).toEqual(['missing not_in_this_source', 'missing not_in_this_source']);
    expect(verdicts({ tradeTsMs: null })[1]).toBe('missing never_seen');
    expect(verdicts({ bookTsMs: null })[0]).toBe('missing never_seen');
  });

  test('proxy liquidations alone are partial', () => {
    expect(verdicts({ liquidationTotal: 2, liquidationProxyTotal: 2 })[3]).toBe('partial proxy_only');
    expect(verdicts({ liquidationTotal: 2, liquidationProxyTotal: 1 })[3]).toBe('resolved channel_reported');
    expect(verdicts({ liquidationTotal: 1, liquidationProxyTotal: 1, channels: ['book'] })[3]).toBe('partial proxy_only');
  });

  test('support is (resolved + half of partial) / 5: three resolved and one partial are 0.7', () => {
    expect(sourceSupportRatio(readSources(input({ contextTsMs: T - 120_001, channels: ['book', 'trade', 'context'] })))).toBe(0.7);
  });
});

function span(startMs: number, endMs: number, fields: Partial<GapSpan> = {}): GapSpan {
  return { gapId: `gap_${startMs}`, channel: 'book', startMs, endMs, reason: 'sequence_gap', seam: false, ...fields };
}

describe('gap seconds', () => {
  test.each([
    ['none', [], 0],
    ['one span inside the window', [span(T - 10_000, T - 8_500)], 1.5],
    ['a span that began before the window counts from its start', [span(T - 400_000, T - 299_000)], 1],
    ['an open span reaches T', [span(T - 5_000, 0)], 5],
    ['overlapping spans of two channels count once', [span(T - 10_000, T - 5_000), span(T - 7_000, T - 4_000, { channel: 'trade' })], 6],
    ['a span inside another adds nothing', [span(T - 10_000, T - 1_000), span(T - 9_000, T - 8_000)], 9],
    ['a span that ends after T counts up to T', [span(T - 2_000, T + 3_000)], 2],
  ])('%s', (_, spans, seconds) => {
    expect(gapSeconds(spans, T, 300_000)).toBe(seconds);
  });
});

describe('gap ledger', () => {
  test('gives the spans that overlap the window and forgets those that never will', () => {
    const ledger = new GapLedger();
    ledger.put(span(T - 500_000, T - 300_000));
    ledger.put(span(T - 500_001, T - 299_999));
    ledger.put(span(T, 0));
    ledger.put(span(T - 1, 0));
    expect(ledger.within(T, 300_000).map((other) => other.startMs)).toEqual([T - 500_001, T - 1]);
    ledger.forget(T - 300_000);
    expect(ledger.dump()).toHaveLength(3);
  });

  test('the end of a gap replaces its open span in place', () => {
    const ledger = new GapLedger([span(1, 0), span(2, 0)]);
    ledger.put(span(1, 9));
    expect(ledger.dump().map((other) => other.endMs)).toEqual([9, 0]);
  });
});

describe('gap flags', () => {
  const none = { spans: [], bookSilent: false, contextStale: false, liquidationProxyOnly: false, reconnectTotal: 0, lateTotal: 0 };

  test.each([
    [{ spans: [span(0, 1)] }, ['book_gap']],
    [{ spans: [span(0, 1, { channel: 'trade' })] }, ['trade_gap']],
    [{ spans: [span(0, 1, { channel: null })] }, ['book_gap', 'trade_gap']],
    [{ spans: [span(0, 1, { channel: 'context' })] }, []],
    [{ spans: [span(0, 1, { channel: null, seam: true })] }, ['recording_seam']],
    [{ bookSilent: true }, ['book_gap']],
    [{ bookSilent: true, spans: [span(0, 1)] }, ['book_gap']],
    [{ contextStale: true, liquidationProxyOnly: true }, ['context_stale', 'liquidation_proxy_only']],
    [{ reconnectTotal: 1, lateTotal: 2 }, ['feed_reconnected', 'late_events']],
    [{}, []],
  ])('%j', (fields, flags) => {
    expect(gapFlags({ ...none, ...fields })).toEqual(flags);
  });
});
