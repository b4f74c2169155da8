import { createHash } from 'node:crypto';
import { canonicalBytes } from '@market-state/market-data';
import { createState, reduce, type PacketResult } from '../src/index';
import { ZERO_DIGEST } from '../src/reducer/labeler-state';
import { labelLog, POLICY } from './label-log';
import { LogBuilder, type Level } from './log-builder';

const T0 = 1_700_000_000_000;
const BIDS: readonly Level[] = [
  [100, 3],
  [99, 1],
];
const ASKS: readonly Level[] = [
  [101, 1],
  [102, 1],
];

/** A log whose first window ends at T0, with a book in it. */
function started(): LogBuilder {
  return new LogBuilder(T0 - 1_000)
    .connected()
    .book(T0 - 500, BIDS, ASKS)
    .tick(T0 - 750);
}

const ends = (results: readonly PacketResult[]): number[] => results.map((result) => result.windowEndMs - T0);
const features = (result: PacketResult | undefined): Record<string, number | null> =>
  (result?.packet as unknown as { driver_strengths: Record<string, number | null> }).driver_strengths;
const field = (result: PacketResult | undefined, name: string): unknown => (result?.packet as unknown as Record<string, unknown>)[name];
const flags = (result: PacketResult | undefined): unknown => (field(result, 'packet_quality') as { gap_flags: unknown }).gap_flags;

describe('windows', () => {
  test('the first window is the smallest multiple of 10 s at or past the first tick', () => {
    expect(
      ends(
        labelLog(
          new LogBuilder(T0)
            .connected()
            .tick(T0)
            .tick(T0 + 1_000).events,
        ),
      ),
    ).toEqual([0]);
    expect(
      ends(
        labelLog(
          new LogBuilder(T0)
            .connected()
            .tick(T0 + 250)
            .tick(T0 + 11_000).events,
        ),
      ),
    ).toEqual([10_000]);
  });

  test('a window closes at the first tick at or past its end plus the closing lag, and at nothing else', () => {
    const log = started()
      .tick(T0 + 750)
      .book(T0 + 60_000, BIDS, ASKS)
      .tick(T0 + 999);
    expect(labelLog(log.events)).toEqual([]);
    const [result] = labelLog(log.tick(T0 + 1_000).events);
    expect(result).toMatchObject({ windowEndMs: T0, closingOrdinal: log.events.length });
  });

  test('a clock that goes back and jumps on reopens nothing', () => {
    const log = started();
    for (const seconds of [2, 12, 22, 112, 22, 97, 107, 122, 132]) log.tick(T0 + seconds * 1_000);
    expect(ends(labelLog(log.events))).toEqual([0, 10_000, 20_000, 120_000, 130_000]);
  });

  test('ticks before the first connected entry open nothing', () => {
    const log = new LogBuilder(T0)
      .tick(T0 + 250)
      .tick(T0 + 20_000)
      .connected()
      .tick(T0 + 30_250)
      .tick(T0 + 41_000);
    expect(ends(labelLog(log.events))).toEqual([40_000]);
  });

  test('a tick that comes late closes every window that is due, oldest first', () => {
    expect(ends(labelLog(started().tick(T0 + 31_000).events))).toEqual([0, 10_000, 20_000, 30_000]);
  });

  test('a tick more than 60 s after the one before skips the windows between', () => {
    const log = started()
      .tick(T0 + 1_000)
      .tick(T0 + 61_001)
      .tick(T0 + 71_000);
    expect(ends(labelLog(log.events))).toEqual([0, 70_000]);
    expect(
      ends(
        labelLog(
          started()
            .tick(T0 + 1_000)
            .tick(T0 + 61_000).events,
        ),
      ),
    ).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  });

  test('events that wait for a skipped window are late; those of the next window are not', () => {
    const log = started().tick(T0 + 1_000);
    log.trade(T0 + 60_000, 'buy', 101, 1).trade(T0 + 60_001, 'buy', 101, 1);
    const [, result] = labelLog(log.tick(T0 + 62_000).tick(T0 + 71_000).events);
    expect(features(result)['recent_trade_count']).toBe(1);
    expect(flags(result)).toEqual(['book_gap', 'late_events']);
    expect(field(result, 'transition_type')).toBe('lineage_context_pending');
  });

  test('an event of exactly T belongs to the window T, one of T + 1 to the next', () => {
    const log = started()
      .trade(T0, 'buy', 101, 1)
      .trade(T0 + 1, 'buy', 101, 1)
      .tick(T0 + 1_000)
      .tick(T0 + 11_000);
    expect(labelLog(log.events).map((result) => features(result)['recent_trade_count'])).toEqual([1, 2]);
  });

  test('a silent venue still gives packets, and they say so', () => {
    const results = labelLog(
      started()
        .trade(T0 - 400, 'buy', 101, 1)
        .ticksTo(T0 + 21_000).events,
    );
    expect(results.map((result) => field(result, 'state'))).toEqual(['market_state_watch', 'replay_context_ready', 'replay_context_ready']);
    expect(results.map((result) => field(result, 'event_class')).slice(1)).toEqual(['retained_context_only', 'retained_context_only']);
  });

  test('a log without any book is insufficient evidence', () => {
    const [result] = labelLog(
      new LogBuilder(T0)
        .connected()
        .tick(T0)
        .tick(T0 + 1_000).events,
    );
    expect(field(result, 'state')).toBe('insufficient_evidence');
    expect(features(result)).toMatchObject({ spread_bps: null, freshness_ms: null, recent_trade_count: null, liquidation_event_count: 0 });
  });
});

describe('late and repeated events', () => {
  test('an event whose window has closed is in no packet and is counted for 300 s', () => {
    const log = started()
      .tick(T0 + 1_000)
      .trade(T0, 'buy', 101, 1)
      .ticksTo(T0 + 321_000);
    const results = labelLog(log.events);
    expect(features(results[1])['recent_trade_count']).toBeNull();
    expect(results.map((result) => (flags(result) as string[]).includes('late_events'))).toEqual([
      false,
      ...Array<boolean>(30).fill(true),
      false,
      false,
    ]);
    expect(results.at(-1)?.packet).toMatchObject({ source_resolution: { late_event_total: 1 } });
  });

  test('a venue id seen twice counts once, in its window, in a later one, and late', () => {
    const log = started()
      .trade(T0 - 2, 'buy', 101, 1, 'x')
      .trade(T0 - 1, 'buy', 101, 9, 'x')
      .tick(T0 + 1_000);
    log
      .trade(T0 + 5, 'buy', 101, 1, 'x')
      .trade(T0 - 3, 'buy', 101, 1, 'x')
      .tick(T0 + 11_000);
    const results = labelLog(log.events);
    expect(results.map((result) => features(result)['recent_trade_count'])).toEqual([1, 1]);
    expect(flags(results[1])).toEqual(['book_gap']);
  });

  test('a late copy that comes first does not take the place of the one that waits in time; either way it is counted late', () => {
    const late = (log: LogBuilder): LogBuilder => log.trade(T0 - 1, 'buy', 101, 9, 'x');
    const inTime = (log: LogBuilder): LogBuilder => log.trade(T0 + 5, 'buy', 101, 1, 'x');
    for (const log of [inTime(late(started().tick(T0 + 1_000))), late(inTime(started().tick(T0 + 1_000)))]) {
      late(log).tick(T0 + 11_000);
      late(log).tick(T0 + 21_000);
      const results = labelLog(log.events);
      expect(results.map((result) => features(result)['recent_trade_count'])).toEqual([null, 1, 1]);
      expect(results.at(-1)?.packet.source_resolution.late_event_total).toBe(1);
    }
  });

  test('what happened before the first window is in no packet and is not late, whenever it comes', () => {
    const log = new LogBuilder(T0 - 1_000)
      .connected()
      .trade(T0 - 12_000, 'buy', 101, 1)
      .tick(T0 - 750);
    log
      .trade(T0 - 10_000, 'buy', 101, 1)
      .trade(T0 - 9_999, 'buy', 101, 1)
      .tick(T0 + 1_000);
    log
      .trade(T0 - 11_000, 'buy', 101, 1)
      .tick(T0 + 11_000)
      .trade(T0 - 9_998, 'buy', 101, 1)
      .tick(T0 + 21_000);
    const results = labelLog(log.events);
    expect(results.map((result) => features(result)['recent_trade_count'])).toEqual([1, 1, 1]);
    expect(results.map((result) => result.packet.source_resolution.late_event_total)).toEqual([0, 0, 1]);
  });

  test('the same venue id in another pass, on another channel, or more than 10 min later is another event', () => {
    const log = started().trade(T0 - 2, 'buy', 101, 1, 'x');
    log.pass = 1;
    log.trade(T0 - 1, 'buy', 101, 1, 'x').book(T0 - 1, BIDS, ASKS, 'x');
    log
      .ticksTo(T0 + 590_000)
      .trade(T0 + 599_998, 'buy', 101, 1, 'x')
      .trade(T0 + 599_999, 'buy', 101, 1, 'y');
    log
      .ticksTo(T0 + 601_000)
      .trade(T0 + 600_001, 'buy', 101, 1, 'x')
      .ticksTo(T0 + 611_000);
    const counts = labelLog(log.events).map((result) => features(result)['recent_trade_count']);
    expect([counts[0], counts[60], counts[61]]).toEqual([2, 1, 2]);
  });

  test('an entry at or before the last ordinal applied changes nothing', () => {
    const { events } = started().tick(T0 + 1_000);
    const state = createState('BTCUSD-PERP', POLICY);
    expect(labelLog(events, state)).toHaveLength(1);
    expect(labelLog(events, state)).toEqual([]);
    expect(state.log.ordinal).toBe(events.length);
    const last = events.at(-1);
    expect(last && reduce(state, last)).toEqual([]);
  });
});

describe('input digest', () => {
  test('covers the events in order of application, then the feed status entries in log order, each after its length', () => {
    const log = new LogBuilder(T0 - 1_000).connected();
    log
      .trade(T0 - 100, 'sell', 100, 1, '10')
      .trade(T0 - 100, 'sell', 100, 1, '9')
      .book(T0 - 100, BIDS, ASKS, '99');
    log
      .gap('gap_a', 'trade', T0 - 900, T0 - 800)
      .trade(T0 + 1, 'buy', 101, 1)
      .tick(T0 - 750)
      .tick(T0 + 1_000);
    const [connected, ten, nine, book, gap] = log.events;
    const hash = createHash('sha256');
    for (const entry of [book, nine, ten, connected, gap]) {
      const bytes = entry === undefined ? new Uint8Array() : canonicalBytes(entry);
      expect(bytes.length).toBeLessThan(128);
      hash.update(Uint8Array.of(bytes.length)).update(bytes);
    }
    expect(labelLog(log.events)[0]?.inputDigest).toBe(hash.digest('hex'));
  });

  test('feed status entries logged after the closing tick belong to the next window', () => {
    const before = started()
      .gap('gap_a', 'trade', T0 - 900, T0 - 800)
      .tick(T0 + 1_000)
      .tick(T0 + 11_000);
    const after = started()
      .tick(T0 + 1_000)
      .gap('gap_a', 'trade', T0 - 900, T0 - 800)
      .tick(T0 + 11_000);
    expect(labelLog(before.events).map(flags)).toEqual([['trade_gap'], ['book_gap', 'trade_gap']]);
    expect(labelLog(after.events).map(flags)).toEqual([[], ['book_gap', 'trade_gap']]);
  });
});

test('the chain: each packet holds the lineage digest of the one before, the first holds zeros', () => {
  const results = labelLog(started().ticksTo(T0 + 21_000).events);
  expect(results.map((result) => result.previousLineageDigest)).toEqual([
    ZERO_DIGEST,
    results[0]?.lineageDigest,
    results[1]?.lineageDigest,
  ]);
  for (const { body, packet, packetDigest, lineageDigest, previousLineageDigest, packetId, eventId } of results) {
    expect(packetDigest).toBe(createHash('sha256').update(body, 'utf8').digest('hex'));
    const link = Buffer.concat([Buffer.from(previousLineageDigest, 'hex'), Buffer.from(packetDigest, 'hex')]);
    expect(lineageDigest).toBe(createHash('sha256').update(link).digest('hex'));
    expect(packet).toMatchObject({ previous_lineage_digest: previousLineageDigest, packet_id: packetId, event_id: eventId });
    expect(eventId.slice(4)).toBe(packetId.slice(4));
  }
});
