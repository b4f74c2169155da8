import { type EventHead, type MarketEvent, WINDOW_MS, ROW_FLAG } from '@market-state/market-data';
import fc from 'fast-check';
import { LogFixture } from '../../tests/log-fixture';
import { FIRST_ROW_STATE, type RowState } from '../store/row-state';
import { flagRows } from './commit-batch';

/** Start of a whole window. */
const T0 = Date.UTC(2026, 0, 5, 12);
const NONE: ReadonlySet<number> = new Set();

/** The first tick makes [T0, T0 + 10 s) the log's first window. */
function connectedLog(): LogFixture {
  return new LogFixture().connected(T0 + 1).tick(T0 + 250);
}

/** Flags of rows written after the log has started. */
function flagsAfter(begin: LogFixture, write: (log: LogFixture) => LogFixture): number[] {
  const started = begin.events.length;
  return [...flagRows(FIRST_ROW_STATE, write(begin).events as EventHead[], NONE).flags].slice(started);
}

/** Late rows are usually skewed too, which is another flag. */
function lateFlag(flags = 0): number {
  return flags & ROW_FLAG.late;
}

function withBook(log: LogFixture): LogFixture {
  return log.book(T0 + 300, '1', '9', '10');
}

describe('snapshot', () => {
  test('is the first book after connected, and no other', () => {
    expect(
      flagsAfter(connectedLog(), (log) =>
        log
          .trade(T0 + 300, '1', '9', '1')
          .book(T0 + 301, '1', '9', '10')
          .book(T0 + 302, '2', '9', '10'),
      ),
    ).toEqual([0, 1, 0]);
  });

  test.each([undefined, 'book'] as const)('is the first book after the channel %s was whole again', (channel) => {
    const flags = flagsAfter(withBook(connectedLog()), (log) =>
      log
        .status(T0 + 310, { type: 'resynced', gapId: 'g', channel, startMs: T0, endMs: T0 + 310 })
        .book(T0 + 311, '2', '9', '10')
        .book(T0 + 312, '3', '9', '10'),
    );
    expect(flags).toEqual([0, 1, 0]);
  });

  test('is no book after another channel was whole again', () => {
    const flags = flagsAfter(withBook(connectedLog()), (log) =>
      log.status(T0 + 310, { type: 'resynced', gapId: 'g', channel: 'trade', startMs: T0, endMs: T0 + 310 }).book(T0 + 311, '2', '9', '10'),
    );
    expect(flags).toEqual([0, 0]);
  });
});

describe('after_gap', () => {
  const cutsAll = {
    seam: { type: 'seam', gapId: 'g', startMs: T0, endMs: T0 },
    disconnected: { type: 'disconnected', reason: 'closed' },
    'a gap of all channels': { type: 'gap', gapId: 'g', startMs: T0, endMs: 0, reason: 'feed_down' },
  } as const;

  test.each(Object.entries(cutsAll))('is the first row of every channel after %s', (name, status) => {
    const flags = flagsAfter(withBook(connectedLog()), (log) =>
      log
        .status(T0 + 310, status)
        .trade(T0 + 311, '1', '9', '1')
        .tick(T0 + 500)
        .trade(T0 + 501, '2', '9', '1')
        .book(T0 + 502, '2', '9', '10')
        .book(T0 + 503, '3', '9', '10'),
    );
    expect(flags).toEqual([0, 8, 0, 0, name === 'seam' ? 9 : 8, 0]);
  });

  test.each([
    ['book', [0, 0, 8]],
    ['trade', [0, 8, 0]],
    ['control', [0, 0, 0]],
  ] as const)('is a row of %s alone after a gap of it', (channel, flags) => {
    const written = flagsAfter(withBook(connectedLog()), (log) =>
      log
        .status(T0 + 310, { type: 'gap', gapId: 'g', channel, startMs: T0, endMs: 0, reason: 'overflow' })
        .trade(T0 + 311, '1', '9', '1')
        .book(T0 + 312, '2', '9', '10'),
    );
    expect(written).toEqual(flags);
  });

  test('is the first row after ordinals that are missing', () => {
    expect(
      flagsAfter(withBook(connectedLog()), (log) =>
        log
          .loseLog(3)
          .trade(T0 + 311, '1', '9', '1')
          .trade(T0 + 312, '2', '9', '1'),
      ),
    ).toEqual([8, 0]);
  });

  test('is the row after one that is never served', () => {
    const log = withBook(connectedLog())
      .status(T0 + 310, cutsAll.disconnected)
      .trade(T0 + 311, '1', '9', '1')
      .trade(T0 + 312, '2', '9', '1');
    const [repeat] = log.events.filter(({ kind }) => kind === 'trade');
    expect([...flagRows(FIRST_ROW_STATE, log.events as EventHead[], new Set([repeat?.ordinal ?? 0])).flags].slice(-2)).toEqual([32, 8]);
  });
});

describe('late', () => {
  /** Windows end at T0 + 10 s, T0 + 20 s; the closing lag is a second. */
  function at(clockMs: number, exchangeTsMs: number): number | undefined {
    return lateFlag(flagsAfter(connectedLog(), (log) => log.tick(clockMs).trade(exchangeTsMs, '1', '9', '1')).at(-1));
  }

  test('is what happened up to the end of a window that a tick has closed', () => {
    expect(at(T0 + 11_000, T0 + 10_000)).toBe(2);
    expect(at(T0 + 11_000, T0 + 10_001)).toBe(0);
    expect(at(T0 + 10_999, T0 + 10_000)).toBe(0);
    expect(at(T0 + 20_999, T0 + 10_001)).toBe(0);
    expect(at(T0 + 21_000, T0 + 10_001)).toBe(2);
  });

  test('is nothing that happened before the first window of the log', () => {
    expect(at(T0 + 11_000, T0)).toBe(0);
    expect(at(T0 + 11_000, T0 + 1)).toBe(2);
  });

  test('is nothing before the first tick, and no entry of the feed itself', () => {
    expect(flagsAfter(new LogFixture().connected(T0), (log) => log.trade(T0 - 60_000, '1', '9', '1')).map(lateFlag)).toEqual([0]);
    expect(
      flagsAfter(connectedLog(), (log) =>
        log.tick(T0 + 30_000).status(T0 + 1, { type: 'resynced', gapId: 'g', channel: 'trade', startMs: T0, endMs: T0 + 1 }),
      ),
    ).toEqual([0, 0]);
  });
});

describe('clock_skew', () => {
  function skewed(change: Partial<MarketEvent>): number | undefined {
    const log = connectedLog().trade(T0 + 5_000, '1', '9', '1');
    const events = log.events.map((event) => (event.kind === 'trade' ? { ...event, ...change } : event)) as EventHead[];
    return flagRows(FIRST_ROW_STATE, events, NONE).flags.at(-1);
  }

  test('is a difference of more than 2 s, on either side', () => {
    expect(skewed({ receivedTsMs: T0 + 7_000 })).toBe(0);
    expect(skewed({ receivedTsMs: T0 + 7_001 })).toBe(4);
    expect(skewed({ receivedTsMs: T0 + 3_000 })).toBe(64);
    expect(skewed({ receivedTsMs: T0 + 2_999 })).toBe(4 | 64);
  });

  test('a row received before its own exchange time has the flag venue_clock_ahead, however little it is', () => {
    expect(skewed({ receivedTsMs: T0 + 4_999 })).toBe(64);
    expect(skewed({ receivedTsMs: T0 + 5_000 })).toBe(0);
  });

  test('is not where the venue sent no time', () => {
    expect(skewed({ receivedTsMs: T0 + 9_000, exchangeTsIsReceiveTime: true })).toBe(0);
  });
});

test('everything of a simulated venue is synthetic, its ticks too, until another source connects', () => {
  const facts = {
    type: 'connected',
    channels: ['book'],
    bookStalenessMs: 1,
    tradeStalenessMs: 1,
    contextStalenessMs: 1,
    closingLagMs: 1_000,
  } as const;
  const log = new LogFixture()
    .status(T0, { ...facts, sourceKind: 'simulated' })
    .tick(T0 + 250)
    .book(T0 + 300, '1', '9', '10')
    .status(T0 + 400, { ...facts, sourceKind: 'live' })
    .trade(T0 + 500, '1', '9', '1');
  expect([...flagRows(FIRST_ROW_STATE, log.events as EventHead[], NONE).flags]).toEqual([16, 16, 17, 0, 0]);
});

/** Entry written by a step of a generated log. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ write: fc.constantFrom('book', 'trade'), lagMs: fc.integer({ min: -4_000, max: 40_000 }) }) },
  { weight: 4, arbitrary: fc.record({ write: fc.constant('tick'), lagMs: fc.integer({ min: 0, max: WINDOW_MS }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.constantFrom('gap book', 'gap trade', 'gap all', 'resynced', 'seam', 'disconnected', 'connected', 'lost'),
      lagMs: fc.constant(0),
    }),
  },
);

function logOf(steps: readonly { write: string; lagMs: number }[]): EventHead[] {
  const log = connectedLog();
  let clockMs = T0 + 250;
  for (const { write, lagMs } of steps) {
    const id = String(log.events.length);
    const gap = { type: 'gap', gapId: id, startMs: clockMs, endMs: 0, reason: 'overflow' } as const;
    if (write === 'tick') log.tick((clockMs += lagMs));
    else if (write === 'book') log.book(clockMs - lagMs, id, '9', '10');
    else if (write === 'trade') log.trade(clockMs - lagMs, id, '9', '1');
    else if (write === 'gap book') log.status(clockMs, { ...gap, channel: 'book' });
    else if (write === 'gap trade') log.status(clockMs, { ...gap, channel: 'trade' });
    else if (write === 'gap all') log.status(clockMs, gap);
    else if (write === 'resynced') log.status(clockMs, { type: 'resynced', gapId: id, startMs: clockMs, endMs: clockMs });
    else if (write === 'seam') log.status(clockMs, { type: 'seam', gapId: id, startMs: clockMs, endMs: clockMs });
    else if (write === 'disconnected') log.status(clockMs, { type: 'disconnected', reason: 'closed' });
    else if (write === 'connected') log.connected(clockMs);
    else log.loseLog(2);
  }
  return log.events as EventHead[];
}

test('flags do not depend on how the log is split, nor on a state that was stored and read again', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      (steps, cuts, repeated) => {
        const events = logOf(steps);
        const repeats = new Set(repeated.filter((at) => events[at]?.kind === 'trade').map((at) => events[at]?.ordinal ?? 0));
        const whole = flagRows(FIRST_ROW_STATE, events, repeats);
        let state = FIRST_ROW_STATE;
        const flags: number[] = [];
        const bounds = [0, ...cuts.sort((a, b) => a - b).map((cut) => Math.min(cut, events.length)), events.length];
        for (const [index, from] of bounds.slice(0, -1).entries()) {
          const part = flagRows(state, events.slice(from, bounds[index + 1]), repeats);
          flags.push(...part.flags);
          state = JSON.parse(JSON.stringify(part.state)) as RowState;
        }
        expect(flags).toEqual([...whole.flags]);
        expect(state).toEqual(whole.state);
      },
    ),
    { seed: 20_260_105, numRuns: 500 },
  );
});
