import { recordingPass, type BookEvent, type MarketEvent } from '../src/index';
import { NaiveBook, readRaw } from './oracle';
import { DAY_MS, diff, eventsOf, handMadePass, inShort, line, snapshot, trade } from './messages';
import { passInput, readLines } from './recording';

const lines = readLines('ETHUSD-PERP').slice(0, 8_000);
const input = passInput('ETHUSD-PERP', lines);
const raw = readRaw(lines);

function without(updateId: number | undefined): string[] {
  return lines.filter((text) => !text.includes(`"u":${updateId},"pu"`));
}

/** REST response for the book at diff `index`. */
function snapshotAt(index: number): string {
  const naive = new NaiveBook(raw.snapshot);
  for (const rawDiff of raw.diffs.slice(0, index + 1)) if (rawDiff.u >= raw.snapshot.lastUpdateId) naive.apply(rawDiff);
  const { T, u } = raw.diffs[index] ?? { T: 0, u: 0 };
  return JSON.stringify({ lastUpdateId: u, E: T, T, symbol: 'ETHUSD_PERP', pair: 'ETHUSD', bids: [...naive.bids], asks: [...naive.asks] });
}

function statusesOf(events: readonly MarketEvent[]): unknown[] {
  return events.flatMap((event) => (event.kind === 'feed_status' ? [event.status] : []));
}

function booksOf(events: readonly MarketEvent[]): BookEvent[] {
  return events.filter((event) => event.kind === 'book');
}

describe('a gap in the diffs', () => {
  const dropped = raw.diffs[1_000];
  const before = raw.diffs[999];
  const noticed = raw.diffs[1_001];
  if (dropped === undefined || before === undefined || noticed === undefined) throw new Error('recording too short');
  const cut = without(dropped.u);

  it('is logged at the next diff, from the last change that is known, and no book is made from there on', () => {
    const events = eventsOf({ ...input, lines: cut });
    const [, gap, resynced] = statusesOf(events);
    expect(gap).toMatchObject({ type: 'gap', channel: 'book', startMs: before.T, endMs: 0, reason: 'sequence_gap' });
    expect(resynced).toMatchObject({ type: 'resynced', channel: 'book', startMs: before.T, endMs: raw.diffs.at(-1)?.T });
    expect(events.find((event) => event.kind === 'feed_status' && event.status.type === 'gap')?.exchangeTsMs).toBe(noticed.T);
    expect(booksOf(events).every((book) => book.exchangeTsMs <= before.T)).toBe(true);
    expect(events.filter((event) => event.kind === 'trade')).toHaveLength(raw.trades.length);
  });

  it('is closed by the next snapshot, and the books after it are those of the whole recording', () => {
    const at = raw.diffs[1_200];
    if (at === undefined) throw new Error('recording too short');
    const place = cut.findIndex((text) => text.includes(`"u":${at.u},"pu"`)) + 20;
    const answer = `${cut[place]?.slice(0, 19)} ${snapshotAt(1_200)}`;
    const healed = [...cut.slice(0, place), answer, ...cut.slice(place)];
    const events = eventsOf({ ...input, lines: healed });
    const [, gap, resynced, ...others] = statusesOf(events) as { type: string; gapId: string; startMs: number; endMs: number }[];
    expect(others).toEqual([]);
    expect(resynced).toMatchObject({ type: 'resynced', gapId: gap?.gapId, startMs: gap?.startMs });
    expect(resynced?.endMs).toBeGreaterThan(at.T);
    const whole = new Map(booksOf(eventsOf(input)).map((book) => [book.venueId, book]));
    const after = booksOf(events).filter((book) => book.exchangeTsMs > before.T);
    expect(after.length).toBeGreaterThan(150);
    const facts = ({ bids, asks, exchangeTsMs }: BookEvent): unknown => ({ bids, asks, exchangeTsMs });
    expect(after.map(facts)).toEqual(after.map((book) => facts(whole.get(book.venueId) ?? book)));
    expect(after.every((book) => whole.has(book.venueId))).toBe(true);
  });

  it('has the same id each time it is found, another at another place or pass', () => {
    const ids = (source: readonly string[], pass: number): string[] =>
      statusesOf(eventsOf({ ...input, lines: source, pass })).flatMap((status) =>
        typeof status === 'object' && status !== null && 'gapId' in status ? [String(status.gapId)] : [],
      );
    const [first, closing] = ids(cut, 1);
    expect(closing).toBe(first);
    expect(ids(cut, 1)[0]).toBe(first);
    expect(ids(cut, 2)[0]).not.toBe(first);
    expect(ids(without(raw.diffs[1_500]?.u), 1)[0]).not.toBe(first);
  });
});

describe('diffs that come out of order', () => {
  const diffLines = lines.flatMap((text, index) => (text.includes('@depth') ? [index] : []));
  /** Moves diff `late` behind diff `late + by`. */
  function reordered(late: number, by: number): string[] {
    const from = diffLines[late] ?? 0;
    const to = diffLines[late + by] ?? 0;
    return [...lines.slice(0, from), ...lines.slice(from + 1, to + 1), lines[from] ?? '', ...lines.slice(to + 1)];
  }
  const whole = booksOf(eventsOf(input));
  const facts = ({ venueId, bids, asks, exchangeTsMs }: BookEvent): unknown => ({ venueId, bids, asks, exchangeTsMs });

  it.each([
    [1_000, 1],
    [1_000, 3],
    [1_203, 2],
    [2_000, 1],
  ])('diff %i behind the next %i: the gap is withdrawn, and the books go on as those of the whole recording', (late, by) => {
    const events = eventsOf({ ...input, lines: reordered(late, by) });
    const [gap, resynced, withdrawn, ...others] = statusesOf(events).slice(1) as { gapId: string; startMs: number; endMs: number }[];
    expect(others).toEqual([]);
    expect(gap).toMatchObject({ type: 'gap', channel: 'book', startMs: raw.diffs[late - 1]?.T, endMs: 0, reason: 'sequence_gap' });
    const ended = { gapId: gap?.gapId, channel: 'book', startMs: gap?.startMs, endMs: raw.diffs[late + by]?.T };
    expect([resynced, withdrawn]).toMatchObject([
      { type: 'resynced', ...ended },
      { type: 'gap', ...ended, reason: 'arrived_late' },
    ]);
    const [gapMs, afterMs] = [gap?.startMs ?? 0, (withdrawn?.endMs ?? 0) + 250];
    const outside = (books: readonly BookEvent[]) =>
      books.filter(({ exchangeTsMs }) => exchangeTsMs < gapMs - 250 || exchangeTsMs > afterMs).map(facts);
    expect(outside(booksOf(events))).toEqual(outside(whole));
    const byId = new Map(whole.map((book) => [book.venueId, book]));
    for (const book of booksOf(events)) if (byId.has(book.venueId)) expect(facts(book)).toEqual(facts(byId.get(book.venueId) ?? book));
  });

  it('that come too late are lost: the gap stays until a snapshot', () => {
    const events = eventsOf({ ...input, lines: reordered(1_000, 400) });
    expect((statusesOf(events) as { type: string }[]).map(({ type }) => type)).toEqual(['connected', 'gap', 'resynced']);
    expect(booksOf(events).every((book) => book.exchangeTsMs <= (raw.diffs[999]?.T ?? 0))).toBe(true);
  });

  it('the book that became due while a diff was missing is written, before the gap is withdrawn', () => {
    const ms = (at: number): number => DAY_MS + at;
    const made = [
      line(0, snapshot(ms(0), 10, [['100', '1']], [['101', '1']])),
      line(20, diff(ms(20), [9, 11, 8], [['100', '2']], [])),
      line(120, diff(ms(120), [12, 12, 11], [['100', '3']], [])),
      line(260, diff(ms(260), [14, 14, 13], [['100', '5']], [])),
      line(270, diff(ms(240), [13, 13, 12], [['100', '4']], [])),
      line(520, diff(ms(520), [15, 15, 14], [['100', '6']], [])),
    ];
    const events = eventsOf(handMadePass(made, 1_000)).filter(({ kind }) => kind === 'book' || kind === 'feed_status');
    expect(inShort(events)).toEqual([
      'connected',
      'gap',
      'book 120 #12 100/101',
      'resynced',
      'gap',
      'book 260 #14 100/101',
      'book 520 #15 100/101',
    ]);
    expect(booksOf(events).map(({ bids }) => bids[0]?.venueSize)).toEqual(['3', '5', '6']);
  });
});

describe('snapshots', () => {
  const at = (ms: number): number => DAY_MS + ms;
  const levels = [[['100', '1']], [['101', '1']]] as const;

  it.each([
    ['older than the book', 4, 1],
    ['newer than a whole book, which needs none', 9, 0],
  ])('%s: thrown away', (_what, lastUpdateId, stale) => {
    const pass = recordingPass(
      handMadePass(
        [
          line(0, snapshot(at(0), 5, ...levels)),
          line(10, diff(at(10), [5, 6, 4], [['100.5', '7']], [])),
          line(20, snapshot(at(20), lastUpdateId, [['90', '1']], [['110', '1']])),
          line(30, diff(at(30), [7, 7, 6], [], [['100.9', '2']])),
        ],
        300,
      ),
    );
    expect(inShort([...pass.events].map(({ event }) => event))).toEqual(['connected', 'tick 0', 'tick 250', 'book 30 #7 100.5/100.9']);
    expect(pass.rejections.stale_snapshot).toBe(stale);
  });

  it('older than the diffs that wait for it: thrown away, the next one that fits is taken', () => {
    const pass = recordingPass(
      handMadePass(
        [
          line(0, diff(at(0), [10, 12, 8], [['100.5', '7']], [])),
          line(10, snapshot(at(10), 9, ...levels)),
          line(20, diff(at(20), [13, 15, 12], [['100.6', '7']], [])),
          line(30, snapshot(at(30), 14, ...levels)),
        ],
        300,
      ),
    );
    expect(inShort([...pass.events].map(({ event }) => event))).toEqual(['connected', 'tick 0', 'tick 250', 'book 30 #15 100.6/101']);
    expect(pass.rejections.stale_snapshot).toBe(1);
  });

  it('that the first diff after it does not span: a gap', () => {
    const events = eventsOf(
      handMadePass([line(0, snapshot(at(0), 5, ...levels)), line(10, diff(at(10), [6, 8, 5], [], [])), line(20, trade(at(20), 1))], 200),
    );
    expect(inShort(events)).toEqual(['connected', 'tick 0', 'gap', 'trade 20 #1', 'resynced']);
  });

  it('a diff sent twice changes nothing', () => {
    const twice = line(10, diff(at(10), [5, 6, 4], [['100.5', '7']], []));
    const events = eventsOf(
      handMadePass([line(0, snapshot(at(0), 5, ...levels)), twice, twice, line(20, diff(at(20), [7, 7, 6], [], []))], 200),
    );
    expect(inShort(events)).toEqual(['connected', 'tick 0', 'book 20 #7 100.5/101']);
  });
});

describe('diffs that no snapshot follows', () => {
  const at = (ms: number): number => DAY_MS + ms;
  const levels = [[['100', '1']], [['101', '1']]] as const;
  const chain = (first: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) =>
      line(10 * (first + index), diff(at(10 * (first + index)), [first + index, first + index, first + index - 1], [['100.5', '7']], [])),
    );
  const waitingIn = (lines: readonly string[]): number => {
    const pass = recordingPass(handMadePass(lines, 1_000));
    Array.from(pass.events);
    return pass.rejections.no_snapshot;
  };

  it('are counted, each of them, when the input ends', () => {
    expect(waitingIn(chain(1, 30))).toBe(30);
    expect(waitingIn([line(5, snapshot(at(5), 1, ...levels)), ...chain(1, 10), ...chain(12, 8)])).toBe(8);
  });

  it('are not counted when one comes', () => {
    expect(waitingIn([...chain(1, 30), line(310, snapshot(at(310), 20, ...levels)), ...chain(31, 5)])).toBe(0);
    expect(waitingIn([line(5, snapshot(at(5), 1, ...levels)), ...chain(1, 10)])).toBe(0);
  });
});

describe('a crossed book', () => {
  const at = (ms: number): number => DAY_MS + ms;
  const start = [line(0, snapshot(at(0), 5, [['100', '1']], [['101', '1']])), line(10, diff(at(10), [5, 6, 4], [['102', '7']], []))];

  it('is not published; one that is equal on both sides is', () => {
    const pass = recordingPass(
      handMadePass(
        [
          ...start,
          line(
            300,
            diff(
              at(300),
              [7, 7, 6],
              [
                ['102', '0'],
                ['101', '1'],
              ],
              [],
            ),
          ),
          line(600, trade(at(600), 1)),
        ],
        700,
      ),
    );
    expect(inShort([...pass.events].map(({ event }) => event))).toEqual([
      'connected',
      'tick 0',
      'tick 250',
      'tick 500',
      'book 300 #7 101/101',
      'trade 600 #1',
    ]);
    expect(pass.rejections.crossed_book).toBe(1);
  });

  it('is given up after 1 s, as a gap that a snapshot closes', () => {
    const crossed = [400, 800, 1_010].map((ms, index) => line(ms, diff(at(ms), [7 + index, 7 + index, 6 + index], [['99', '1']], [])));
    const events = eventsOf(
      handMadePass([...start, ...crossed, line(1_100, snapshot(at(1_100), 12, [['100', '1']], [['101', '1']]))], 1_300),
    );
    expect(inShort(events).filter((entry) => !entry.startsWith('tick'))).toEqual(['connected', 'gap', 'resynced', 'book 1100 #12 100/101']);
  });

  it('a book with an empty side is not published and is counted', () => {
    const pass = recordingPass(handMadePass([line(0, snapshot(at(0), 5, [], [['101', '1']])), line(300, trade(at(300), 1))], 400));
    expect(inShort([...pass.events].map(({ event }) => event))).toEqual(['connected', 'tick 0', 'tick 250', 'trade 300 #1']);
    expect(pass.rejections.one_sided_book).toBe(1);
  });
});
