import { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';
import { type Piece, takePieces } from './stream-frames';

const SEED = 20_260_105;
const LOG_BEGIN: marketData.LogPosition = { epoch: 0, ordinal: 0, packetWindowEndMs: 0 };

/** Open and closed gaps, seams, duplicates, and a lost epoch. */
function cutMarket(): LogFixture {
  const fixture = new LogFixture().connected(START_MS).tick(START_MS);
  for (let step = 1; step <= 240; step += 1) {
    const atMs = START_MS + step * 250;
    fixture
      .book(atMs - 100, String(step), '100', '101')
      .trade(atMs - 50, String(step), '100', '1')
      .trade(atMs - 50, String(step), '100', '1');
    if (step % 30 === 0)
      fixture.status(atMs - 20, {
        type: 'gap',
        gapId: `gap_book_${step}`,
        channel: 'book',
        startMs: atMs - 100,
        endMs: 0,
        reason: 'sequence_gap',
      });
    if (step % 30 === 5 && step > 30)
      fixture.status(atMs - 20, {
        type: 'resynced',
        gapId: `gap_book_${step - 5}`,
        channel: 'book',
        startMs: atMs - 1_350,
        endMs: atMs - 10,
      });
    if (step === 20) {
      const late = { type: 'gap', gapId: 'gap_late', channel: 'trade', startMs: atMs - 60, endMs: atMs - 50 } as const;
      fixture.status(atMs - 40, { ...late, reason: 'sequence_gap' }).status(atMs - 30, { ...late, reason: 'arrived_late' });
    }
    if (step === 100) fixture.status(atMs - 10, { type: 'seam', gapId: 'gap_seam', startMs: atMs - 50, endMs: atMs - 10 });
    if (step === 150) fixture.loseLog(40).connected(atMs - 5);
    fixture.tick(atMs);
  }
  return fixture;
}

let system: System;
const market = cutMarket();
let uncut: Piece[];

function streamAfter(after: marketData.LogPosition | undefined, signal?: AbortSignal) {
  return system.call.streamRows({ symbol: SYMBOL, after }, { signal });
}

/** Every row without duplicates, and every gap. */
async function everything(): Promise<Piece[]> {
  const { rows } = await system.pool.query<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM log_entry WHERE symbol = $1 AND flags & 32 = 0',
    [SYMBOL],
  );
  const reported = market.events.filter(
    (event) => event.kind === 'feed_status' && ['gap', 'seam', 'resynced'].includes(event.status.type),
  ).length;
  return takePieces(streamAfter(LOG_BEGIN), (rows[0]?.rows ?? 0) + reported + 1);
}

beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(market);
  uncut = await everything();
});

afterAll(() => system.close());

test('every row comes once, in log order, without repeats, each gap right behind the entry that reports it', async () => {
  const ordinals = uncut.map(({ place }) => place.ordinal);
  expect([...ordinals].sort((a, b) => a - b)).toEqual(ordinals);
  expect(new Set(uncut.map(({ place }) => `${place.ordinal} ${place.packetWindowEndMs}`)).size).toBe(uncut.length);
  const { rows } = await system.pool.query<{ repeats: number }>('SELECT count(*)::int AS repeats FROM log_entry WHERE flags & 32 <> 0');
  expect(rows[0]?.repeats).toBe(240);
  const gaps = uncut.filter(({ text }) => text.startsWith('{')).map(({ text }) => JSON.parse(text) as marketData.Gap);
  expect(gaps.slice(0, 4).map(({ gapId, endMs, resolution }) => [gapId, endMs, resolution])).toEqual([
    ['gap_late', START_MS + 20 * 250 - 50, 'resumed'],
    ['gap_late', START_MS + 20 * 250 - 50, 'withdrawn'],
    ['gap_book_30', 0, 'open'],
    ['gap_book_30', START_MS + 35 * 250 - 10, 'resynced'],
  ]);
  expect(gaps.filter(({ reason }) => reason === 'recording_seam')).toHaveLength(1);
  const [lost] = gaps.filter(({ reason }) => reason === 'log_lost');
  const before = uncut.find(({ text, place }) => place.epoch === 2 && text.startsWith('control'))?.place.ordinal ?? 0;
  expect(lost?.place).toEqual({ epoch: 2, ordinal: before - 1, packetWindowEndMs: 1 });
});

test('a stream that is cut and gone on with at 20 random places is the uncut one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: uncut.length - 1 }), { minLength: 20, maxLength: 20 }), async (cuts) => {
      const places = [...cuts.sort((a, b) => a - b), uncut.length];
      const pieces: Piece[] = [];
      for (const end of places) {
        const after = pieces.at(-1)?.place ?? LOG_BEGIN;
        pieces.push(...(await takePieces(streamAfter(after), end - pieces.length)));
      }
      expect(pieces.map(({ text }) => text)).toEqual(uncut.map(({ text }) => text));
    }),
    { seed: SEED, numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1) },
  );
});

test('behind every gap and every entry that reports one, the stream resumes without repeating or leaving out either', async () => {
  const at = uncut.flatMap(({ text }, index) => (text.startsWith('{') ? [index - 1, index] : []));
  expect(at.length).toBeGreaterThan(20);
  for (const index of at) {
    const [next] = await takePieces(streamAfter(uncut[index]?.place), 1);
    expect(next?.text).toBe(uncut[index + 1]?.text);
  }
});

test('a replay of the window is the live stream, byte for byte', async () => {
  const startMs = START_MS - 1;
  const channels = ['book', 'trades', 'control'];
  const replay = system.call.streamReplay({
    symbol: SYMBOL,
    startMs,
    endMs: startMs + 3_600_000,
    channels,
    asOfMs: 0,
    speed: 0,
    after: undefined,
    further: [],
  });
  const replayed = await takePieces(replay, Infinity);
  const lastTick = market.events.at(-1)?.ordinal ?? 0;
  expect(replayed.map(({ text }) => text)).toEqual(uncut.filter(({ place }) => place.ordinal < lastTick).map(({ text }) => text));
});

test('what is played while a stream is open comes out of it, the same as it is stored', async () => {
  const stop = new AbortController();
  const frames = streamAfter(undefined, stop.signal)[Symbol.asyncIterator]();
  const head = await frames.next();
  expect(head.value?.frame).toEqual({
    $case: 'head',
    value: {
      symbol: SYMBOL,
      venue: 'binance-coinm',
      sourceKind: marketData.SourceKind.RECORDED,
      channels: [marketData.Channel.BOOK, marketData.Channel.TRADE],
      after: { epoch: 2, ordinal: market.events.at(-1)?.ordinal, packetWindowEndMs: 0 },
    },
  });
  const from = market.events.length;
  for (let step = 1; step <= 20; step += 1) {
    const atMs = START_MS + 70_000 + step * 250;
    await system.play(
      market
        .book(atMs - 100, String(1_000 + step), '100', '101')
        .trade(atMs - 50, String(1_000 + step), '100', '1')
        .tick(atMs),
    );
  }
  const rest = { [Symbol.asyncIterator]: () => frames };
  const live = await takePieces(rest, market.events.length - from);
  stop.abort();
  const stored = await takePieces(streamAfter(head.value?.frame?.$case === 'head' ? head.value.frame.value.after : undefined), live.length);
  expect(live.map(({ text }) => text)).toEqual(stored.map(({ text }) => text));
});

test('a reader that takes nothing for a while finds all of it, and nothing waits for it', async () => {
  const frames = streamAfter(LOG_BEGIN)[Symbol.asyncIterator]();
  await frames.next();
  const atMs = START_MS + 90_000;
  for (let index = 1; index <= 4_000; index += 1) market.trade(atMs + index, String(10_000 + index), '100', '1');
  await system.play(market.tick(atMs + 5_000));
  const { rows } = await system.pool.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM log_entry WHERE symbol = $1 AND flags & 32 = 0',
    [SYMBOL],
  );
  const gaps = uncut.filter(({ text }) => text.startsWith('{')).length;
  const pieces = await takePieces({ [Symbol.asyncIterator]: () => frames }, (rows[0]?.total ?? 0) + gaps);
  expect(new Set(pieces.map(({ place }) => `${place.ordinal} ${place.packetWindowEndMs}`)).size).toBe(pieces.length);
  expect(pieces.at(-1)?.place.ordinal).toBe(market.events.at(-1)?.ordinal);
});

test('of several gaps before the first row of an epoch none is left out by a stream that goes on after one of them', async () => {
  const atMs = START_MS + 120_000;
  market
    .tick(atMs - 250)
    .loseLog(40)
    .connected(atMs);
  const connected = market.events.length - 1;
  const { ordinal = 0 } = market.events[connected] ?? {};
  await system.play(market.startAfter(ordinal + 3).tick(atMs));
  const behind = { epoch: 3, ordinal: ordinal - 1 };
  const gapsOf = (pieces: readonly Piece[]) => pieces.filter(({ text }) => text.startsWith('{')).map(({ place }) => place);
  const uncutEnd = await takePieces(streamAfter({ epoch: 2, ordinal: ordinal - 41, packetWindowEndMs: 0 }), 4);
  expect(gapsOf(uncutEnd)).toEqual([
    { ...behind, packetWindowEndMs: 1 },
    { ...behind, packetWindowEndMs: 1 },
  ]);
  expect(await takePieces(streamAfter({ ...behind, packetWindowEndMs: 0 }), 4)).toEqual(uncutEnd);
  expect(await takePieces(streamAfter({ ...behind, packetWindowEndMs: 1 }), 2)).toEqual(uncutEnd.slice(2));
});

test('every fault is named, and a place behind what is kept is refused', async () => {
  const first = (request: Partial<marketData.StreamRowsRequest>) =>
    system.call
      .streamRows({ symbol: SYMBOL, after: undefined, ...request })
      [Symbol.asyncIterator]()
      .next();
  expect(await faultsOf(first({ symbol: 'x', after: { epoch: 0, ordinal: 0, packetWindowEndMs: -1 } }))).toEqual([
    'after.packet_window_end_ms',
    'symbol',
  ]);
  expect(await failureOf(first({ symbol: 'DOGEUSD-PERP' }))).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
  await system.pool.query(`INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ('book', $1, $1)`, [START_MS - 100]);
  expect((await first({ after: LOG_BEGIN })).value?.frame?.$case).toBe('head');
  await system.pool.query(`UPDATE channel_hour SET first_ordinal = 5 WHERE channel = 'control' AND first_ordinal = 1`);
  expect(await failureOf(first({ after: LOG_BEGIN }))).toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'beyond_retention',
    metadata: { oldest_ms: String(START_MS - 100) },
  });
  expect((await first({ after: { epoch: 1, ordinal: 4, packetWindowEndMs: 0 } })).value?.frame?.$case).toBe('head');
});
