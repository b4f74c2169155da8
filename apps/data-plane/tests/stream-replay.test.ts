import type { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';
import { piecesOf } from './stream-frames';
import { EVERYTHING, fullMarket, packetsOf, readPage, rowText, WINDOW_MS } from './window-fixture';

const SEED = 4_141;
const END_MS = WINDOW_MS + 60_000;
const market = fullMarket();
let system: System;

type Frame = NonNullable<marketData.StreamReplayResponse['frame']>;

function requestOf(request: Partial<marketData.StreamReplayRequest> = {}): marketData.StreamReplayRequest {
  return {
    symbol: SYMBOL,
    startMs: WINDOW_MS,
    endMs: END_MS,
    channels: [],
    asOfMs: 0,
    speed: 0,
    after: undefined,
    further: [],
    ...request,
  };
}

async function framesOf(request: Partial<marketData.StreamReplayRequest> = {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const { frame } of system.call.streamReplay(requestOf(request))) if (frame !== undefined) frames.push(frame);
  return frames;
}

beforeAll(async () => {
  system = await startDataPlaneSystem();
  system.labeling.packets = packetsOf(market);
  const atMs = WINDOW_MS + 70_000;
  market
    .status(WINDOW_MS + 80_000, { type: 'seam', gapId: 'gap_seam', startMs: WINDOW_MS + 79_800, endMs: WINDOW_MS + 80_000 })
    .status(atMs + 30_000, {
      type: 'gap',
      gapId: 'gap_too_late',
      channel: 'trade',
      startMs: END_MS - 100,
      endMs: END_MS + 5,
      reason: 'sequence_gap',
    })
    .tick(atMs + 30_250);
  await system.play(market);
});

afterAll(() => system.close());

test('the plan comes first and the receipt last, and both say what a page of the same window says', async () => {
  const frames = await framesOf();
  const page = await readPage(system.call);
  const [plan] = frames;
  const receipt = frames.at(-1);
  expect(plan).toMatchObject({
    $case: 'plan',
    value: {
      symbol: SYMBOL,
      startMs: WINDOW_MS,
      endMs: END_MS,
      channels: EVERYTHING,
      speed: 0,
      rowsExpected: page.rows.length,
      gapIds: ['gap_too_late'],
      gapFramesMax: expect.any(Number) as number,
    },
  });
  expect(receipt).toEqual({ $case: 'receipt', value: page.end.completeness });
  const gaps = frames.filter((frame) => frame.$case === 'gap');
  expect(gaps.length).toBeGreaterThan(0);
  expect(plan?.$case === 'plan' && plan.value.gapFramesMax).toBeGreaterThanOrEqual(gaps.length);
  const rows = frames.flatMap((frame) => (frame.$case === 'rows' ? frame.value.rows : []));
  expect(rows.map(rowText)).toEqual(page.rows.map(rowText));
  expect(rows.some(({ channel }) => channel === 'packets')).toBe(true);
});

test('a gap reported outside the window comes before the receipt, without a position', async () => {
  const frames = await framesOf({ channels: ['trades'] });
  expect(frames.at(-2)).toMatchObject({ $case: 'gap', value: { gapId: 'gap_too_late', channel: 'trades', place: undefined } });
  expect(frames.at(-1)).toMatchObject({ value: { complete: false, reasons: ['gaps_in_window'] } });
  expect((await framesOf({ channels: ['book'] })).at(-1)).toMatchObject({ value: { complete: true } });
});

test('a replay over a seam says so in its place, and is whole', async () => {
  const seamed = { startMs: WINDOW_MS + 75_000, endMs: WINDOW_MS + 85_000, channels: ['book'] };
  const frames = await framesOf(seamed);
  expect(frames[0]).toMatchObject({ $case: 'plan', value: { gapIds: [] } });
  const reported = frames.flatMap((frame) => (frame.$case === 'gap' ? [frame.value] : []));
  expect(reported).toMatchObject([{ gapId: 'gap_seam', reason: 'recording_seam', place: { epoch: 1 } }]);
  expect(frames.at(-1)).toMatchObject({ $case: 'receipt', value: { complete: true, gapIds: [], reasons: [] } });
});

test('a replay that is cut at random places and gone on with is the uncut one, with the same receipt', async () => {
  const uncut = await framesOf();
  const pieces = uncut.flatMap(piecesOf);
  const receipt = uncut.at(-1);
  const asOfMs = uncut[0]?.$case === 'plan' ? uncut[0].value.asOfMs : 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: pieces.length - 2 }), async (cut) => {
      const rest = await framesOf({ after: pieces[cut]?.place, asOfMs });
      expect(rest.flatMap(piecesOf).map(({ text }) => text)).toEqual(pieces.slice(cut + 1).map(({ text }) => text));
      expect(rest.at(-1)).toEqual(receipt);
    }),
    { seed: SEED, numRuns: Number(process.env['PROPERTY_RUNS'] ?? 6) },
  );
  for (const [index, { place }] of pieces.entries()) {
    if (place.packetWindowEndMs <= 1) continue;
    const [next] = (await framesOf({ after: place, asOfMs })).flatMap(piecesOf);
    expect(next?.text).toBe(pieces[index + 1]?.text);
  }
});

test('a replay that goes on behind rows of which the packet was not sent yet sends the packet, too', async () => {
  const uncut = (await framesOf()).flatMap(piecesOf);
  const packets = uncut.flatMap(({ place }, index) => (place.packetWindowEndMs > 1 ? [index] : []));
  const [first = 0, second = 0] = packets;
  const late = second + 20;
  const after = { epoch: 1, ordinal: uncut[late]?.place.ordinal ?? 0 };
  const restAfter = async (packetWindowEndMs: number) => (await framesOf({ after: { ...after, packetWindowEndMs } })).flatMap(piecesOf);
  const rest = uncut.slice(late + 1);
  expect(await restAfter(uncut[first]?.place.packetWindowEndMs ?? 0)).toEqual([uncut[second], ...rest]);
  expect(await restAfter(uncut[second]?.place.packetWindowEndMs ?? 0)).toEqual(rest);
  expect(await restAfter(0)).toEqual(rest);
});

test('a paced replay of a moment is the same rows', async () => {
  const moment = { startMs: WINDOW_MS, endMs: WINDOW_MS + 2_000, channels: ['book'] };
  const paced = (await framesOf({ ...moment, speed: 20 })).flatMap(piecesOf);
  expect(paced).toEqual((await framesOf(moment)).flatMap(piecesOf));
});

test('a window may be a day long; every fault of a request is named', async () => {
  expect((await framesOf({ startMs: END_MS - 86_400_000 + 30_000, endMs: END_MS + 30_000 })).at(-1)?.$case).toBe('receipt');
  const after = { epoch: 0, ordinal: 0, packetWindowEndMs: -1 };
  expect(await faultsOf(framesOf({ symbol: 'x', startMs: -1, endMs: 9e15, channels: ['nothing'], asOfMs: -1, speed: 101, after }))).toEqual(
    ['after.packet_window_end_ms', 'as_of_ms', 'channels', 'end_ms', 'speed', 'start_ms', 'symbol'],
  );
  expect(await faultsOf(framesOf({ endMs: WINDOW_MS + 86_400_001 }))).toEqual(['end_ms']);
  expect(await failureOf(framesOf({ symbol: 'DOGEUSD-PERP' }))).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
  expect(await failureOf(framesOf({ startMs: 1, endMs: 2 }))).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'beyond_retention' });
});

describe('the rows that a packet was made of', () => {
  const T = WINDOW_MS + 50_000;
  const SPANS = [
    { channel: 'book', lengthMs: 10_000, rowLimit: 1 },
    { channel: 'trades', lengthMs: 10_000, rowLimit: 20 },
    { channel: 'context', lengthMs: 40_000, rowLimit: 1 },
    { channel: 'liquidations', lengthMs: 90_000, rowLimit: 2 },
  ];
  const ask = (request: Partial<marketData.GetSourceRowsRequest>) =>
    system.call.getSourceRows({ symbol: SYMBOL, windowEndMs: T, asOfMs: 0, closedBy: undefined, spans: SPANS, ...request });

  /** Same, counted over pages. */
  async function counted(closingOrdinal: number, asOfMs: number): Promise<marketData.SourceRows[]> {
    const pages = SPANS.map(async ({ channel, lengthMs, rowLimit }) => {
      const { rows } = await readPage(system.call, { channels: [channel], startMs: T - lengthMs + 1, endMs: T + 1, asOfMs });
      const inTime = rows.filter(({ sequence }) => sequence <= closingOrdinal);
      const byTime = inTime.toSorted((a, b) => a.exchangeTsMs - b.exchangeTsMs || a.sequence - b.sequence);
      return {
        channel,
        inTimeTotal: inTime.length,
        inWindowTotal: inTime.filter(({ exchangeTsMs }) => exchangeTsMs > T - 10_000).length,
        lateTotal: rows.length - inTime.length,
        rows: byTime.slice(-rowLimit),
      };
    });
    return Promise.all(pages);
  }

  test.each([
    ['all of them, with the entry that closed it', 1_000, 0],
    ['those before an earlier entry: the others came too late', -5_000, 0],
    ['none, where all came too late', -200_000, 0],
    ['those received by an instant', 1_000, T - 4_000],
  ])('are counted by channel, each over its own span: %s', async (_which, closedAfterMs, asOfMs) => {
    const closing = market.events.find(({ exchangeTsMs }) => exchangeTsMs >= T + closedAfterMs) ?? { epoch: 1, ordinal: 1 };
    const closedBy = { epoch: closing.epoch, ordinal: closing.ordinal, packetWindowEndMs: 0 };
    expect((await ask({ closedBy, asOfMs })).channels).toEqual(await counted(closing.ordinal, asOfMs));
  });

  test('are none of a channel that is not kept from then, and every one of the others', async () => {
    await system.pool.query(`INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ('trade', $1, $1)`, [T + 5_000]);
    const { channels } = await ask({});
    await system.pool.query('DELETE FROM retention');
    const none = { channel: 'trades', inTimeTotal: 0, inWindowTotal: 0, lateTotal: 0, rows: [] };
    expect(channels).toEqual((await counted(Infinity, 0)).map((each) => (each.channel === 'trades' ? none : each)));
  });

  test('are refused with every fault of the request', async () => {
    const spans = [
      { channel: 'book', lengthMs: 9_999, rowLimit: 0 },
      { channel: 'control', lengthMs: 3_600_001, rowLimit: 21 },
    ];
    const ofSpans = spans.flatMap((_span, index) => [`spans[${index}].length_ms`, `spans[${index}].row_limit`]);
    expect(await faultsOf(ask({ symbol: 'x', windowEndMs: -1, asOfMs: -1, spans }))).toEqual(
      ['as_of_ms', 'spans', ...ofSpans, 'symbol', 'window_end_ms'].sort(),
    );
    expect(await faultsOf(ask({ spans: [] }))).toEqual(['spans']);
  });
});
