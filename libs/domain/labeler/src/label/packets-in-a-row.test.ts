import { labelLog } from '../../tests/label-log';
import { LogBuilder } from '../../tests/log-builder';
import type { PacketResult } from './label-packet';

const T0 = 1_700_000_000_000;

interface Window {
  /** Middle of a book one wide, both best sizes 1. */
  readonly mid: number;
  /** No book comes. */
  readonly silent?: boolean;
}

/** A packet for each window, T0 and every 10 s after, each with a book 500 ms before its end unless it is silent. */
function packets(windows: readonly Window[]): readonly PacketResult[] {
  const log = new LogBuilder(T0 - 10_000).connected().tick(T0 - 9_750);
  windows.forEach(({ mid, silent = false }, i) => {
    const endMs = T0 + i * 10_000;
    if (!silent) log.book(endMs - 500, [[mid - 0.5, 1]], [[mid + 0.5, 1]]);
    log.tick(endMs + 1_000);
  });
  return labelLog(log.events);
}

const regimeTerms = (result: PacketResult | undefined) => result?.packet.state_decision_trace.composites.regime;

describe('realized volatility', () => {
  // Thirty returns of ±ln(1001 / 1000) = ±0.000999500333 (12 decimals), then thirty of 0.
  const results = packets(Array.from({ length: 61 }, (_, i) => ({ mid: i <= 30 && i % 2 === 1 ? 1_001 : 1_000 })));

  test('is not there with 29 returns, and is there with 30', () => {
    expect(regimeTerms(results[29])?.terms).toMatchObject({ realized_vol_short: null, realized_vol_session: null });
    // sqrt(30 r² / 30) = r
    expect(regimeTerms(results[30])?.terms).toEqual({
      realized_vol_short: 0.000999500333,
      realized_vol_session: 0.000999500333,
      range_ratio: 1,
    });
    expect(regimeTerms(results[30])).toMatchObject({ score: 0 });
  });

  test('short over the newest 30, session over all: 30 quiet returns later they are 0 and r / √2', () => {
    // sqrt(30 r² / 60) = 0.000999500333 × 0.707106781 = 0.000706753463
    expect(regimeTerms(results[60])?.terms).toMatchObject({ realized_vol_short: 0, realized_vol_session: 0.000706753463 });
  });

  test('the regime score reads price ranges: 0 while they narrow, up to 1 as they widen', () => {
    expect(regimeTerms(results[45])?.score).toBe(0);
    // Forty ranges of 0, then one of 10 bps: means 10 / 6, 10 / 30 and 10 / 41, so ln(1 / 0.243902) / ln 4 is above 1.
    const widening = packets(Array.from({ length: 42 }, (_, i) => ({ mid: i === 41 ? 1_001 : 1_000 })));
    expect(regimeTerms(widening[41])).toMatchObject({ score: 1, terms: { range_ratio: 4.1 } });
  });
});

describe('the price move over six windows', () => {
  const results = packets(Array.from({ length: 9 }, (_, i) => ({ mid: 1_000 + i })));

  test('is 0 until there are six packets before, then 10,000 × (mid / mid six windows ago − 1)', () => {
    const moves = results.map(({ packet }) => packet.driver_strengths.lineage_price_move_bps_abs);
    // 6 / 1000, 6 / 1001, 6 / 1002 in basis points
    expect(moves).toEqual([0, 0, 0, 0, 0, 0, 60, 59.94006, 59.88024]);
  });
});

test('lineage_vote_score: share of the last six packets, this one in, that have this raw winner', () => {
  // h: the floor wins on an even book; b: a book that is stale leaves too few sources.
  const letters = [...'hhbhbbbh'];
  const results = packets(letters.map((letter, i) => ({ mid: 1_000 + i, silent: letter === 'b' })));
  expect(results.map(({ packet }) => packet.state_diagnosis.winner_state)).toEqual(
    letters.map((letter) => (letter === 'h' ? 'market_state_watch' : 'insufficient_evidence')),
  );
  // 1/1, 2/2, 1/3, 3/4, 2/5, 3/6, then of packets 2 to 7 four b of 6, and of packets 3 to 8 two h of 6
  expect(results.map(({ packet }) => packet.driver_strengths.lineage_vote_score)).toEqual([
    1, 1, 0.333333, 0.75, 0.4, 0.5, 0.666667, 0.333333,
  ]);
});

describe('flags that hold while something lies in a window', () => {
  /** A packet every 10 s from T0 on, books 5 s apart, after what `write` logs of the first window. */
  function flagsAfter(write: (log: LogBuilder) => LogBuilder, total: number): readonly (readonly string[])[] {
    const log = write(new LogBuilder(T0 - 10_000).connected().tick(T0 - 9_750));
    for (let endMs = T0; endMs < T0 + total * 10_000; endMs += 10_000) {
      for (const beforeMs of [5_500, 500]) log.book(endMs - beforeMs, [[100, 1]], [[101, 1]]);
      log.tick(endMs + 1_000);
    }
    return labelLog(log.events).map(({ packet }) => packet.packet_quality.gap_flags);
  }

  test('liquidation_proxy_only: as long as a proxy and nothing else lies in (T − 300 s, T]', () => {
    // stamped T0 − 1 s: in the window while T < T0 + 299 s, so in the 30 packets of T0 to T0 + 290 s
    const flags = flagsAfter((log) => log.liquidation(T0 - 1_000, 'long', 100, 1, 'proxy'), 32);
    expect(flags.map((held) => held.includes('liquidation_proxy_only'))).toEqual([...Array<boolean>(30).fill(true), false, false]);
    const mixed = flagsAfter((log) => log.liquidation(T0 - 1_000, 'long', 100, 1, 'proxy').liquidation(T0 - 900, 'long', 100, 1), 1);
    expect(mixed).toEqual([[]]);
  });

  test('context_stale: from the first T more than 120 s after the last context', () => {
    // stamped T0 − 10 s + 1 ms: 119.999 s old at T0 + 110 s, 129.999 s at T0 + 120 s
    const flags = flagsAfter((log) => log.context(T0 - 9_999, { fundingRate: '0.00001' }), 14);
    expect(flags.map((held) => held.includes('context_stale'))).toEqual([...Array<boolean>(12).fill(false), true, true]);
    expect(flagsAfter((log) => log, 14).flat()).toEqual([]);
  });
});
