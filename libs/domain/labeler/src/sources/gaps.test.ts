import { bookSilences, GapLedger, gapSeconds, type GapSpan, Cuts } from './gaps';

const T = 1_000_000;
const LIMIT = 5_000;

const seam = (startMs: number, endMs: number): GapSpan => ({
  gapId: `seam ${startMs}`,
  channel: null,
  startMs,
  endMs,
  reason: 'recording_seam',
  seam: true,
});

/** Silences before T, as seconds before it. */
const silences = (stamps: readonly number[], seams: readonly GapSpan[] = []) =>
  bookSilences(
    stamps.map((ago) => T - ago),
    seams,
    T,
    300_000,
    LIMIT,
  ).map(({ startMs, endMs }) => [(T - startMs) / 1000, (T - endMs) / 1000]);

describe('a book silence', () => {
  test.each<[string, readonly number[], readonly (readonly [number, number])[]]>([
    ['there is none before the log has a book', [], []],
    ['nor before the first one', [1_000], []],
    ['nor where books come in time', [12_000, 7_000, 2_000], []],
    ['it begins behind the limit', [20_000, 15_000], [[10, 0]]],
    [
      'it ends with the next book',
      [30_000, 24_000, 23_000, 18_000],
      [
        [25, 24],
        [13, 0],
      ],
    ],
    ['of no length it is none: the book at T − 5 s lies at the limit', [10_000, 5_000], []],
    [
      'what lies before T − 300 s is left out',
      [400_000, 290_000, 285_000, 2_000],
      [
        [300, 290],
        [280, 2],
      ],
    ],
    ['what ended at T − 300 s lies outside', [400_000, 300_000, 295_000, 290_000, 0], [[285, 0]]],
  ])('%s', (_name, stamps, expected) => {
    expect(silences(stamps)).toEqual(expected);
  });

  test.each<[string, readonly number[], readonly GapSpan[], readonly (readonly [number, number])[]]>([
    ['a seam is none', [20_000, 1_000], [seam(T - 18_000, T - 3_000)], []],
    ['before the seam it is one', [30_000, 1_000], [seam(T - 18_000, T - 3_000)], [[25, 18]]],
    ['after its end the limit starts over', [30_000, 1_000], [seam(T - 30_000, T - 12_000)], [[7, 1]]],
    ['an open seam reaches T', [30_000], [seam(T - 26_000, 0)], []],
    ['a seam before the first book starts nothing', [1_000], [seam(T - 50_000, T - 40_000)], []],
    [
      'a seam that ended long ago counts from its end',
      [400_000, 290_000, 288_000, 284_000, 279_000],
      [seam(T - 390_000, T - 302_000)],
      [
        [297, 290],
        [274, 0],
      ],
    ],
  ])('%s', (_name, stamps, seams, expected) => {
    expect(silences(stamps, seams)).toEqual(expected);
  });

  test('joins the union of the gap seconds', () => {
    const ledger = new GapLedger([{ ...seam(T - 22_000, T - 18_000), seam: false, channel: 'trade', reason: 'sequence_gap' }]);
    const silent = bookSilences([T - 25_000, T - 10_000], ledger.seams(), T, 300_000, LIMIT);
    // 20 s to 10 s and 5 s to 0 s before T, and 22 s to 18 s: 12 + 5
    expect(gapSeconds([...ledger.within(T, 300_000), ...silent], T, 300_000)).toBe(17);
  });
});

describe('cuts', () => {
  test('a window holds what follows the last cut before its end', () => {
    const cuts = new Cuts();
    cuts.add('book', 500);
    cuts.add('book', 900);
    cuts.add('book', 700);
    expect(cuts.windowStart('book', 1000, 600)).toBe(900);
    expect(cuts.windowStart('book', 900, 600)).toBe(700);
    expect(cuts.windowStart('book', 1000, 50)).toBe(950);
    expect(cuts.windowStart('trade', 1000, 600)).toBe(400);
    expect(cuts.newestBefore('trade', 1000)).toBe(Number.NEGATIVE_INFINITY);
  });

  test('a cut parts what is stamped at it from what comes after', () => {
    const cuts = new Cuts({ book: [500] });
    expect([cuts.parts('book', 500, 501), cuts.parts('book', 499, 500), cuts.parts('book', 501, 900), cuts.parts('trade', 0, 900)]).toEqual(
      [true, false, false, false],
    );
  });

  test('the newest cut before the horizon is remembered for windows longer than it', () => {
    const cuts = new Cuts();
    for (const instantMs of [100, 200, 300, 900]) cuts.addAll(instantMs);
    cuts.forget(800);
    expect(cuts.dump().context).toEqual([300, 900]);
  });
});
