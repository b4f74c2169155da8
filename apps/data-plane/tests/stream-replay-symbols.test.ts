import type { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { faultsOf, startDataPlaneSystem, type System } from './rpc-harness';
import { type Piece, piecesOf } from './stream-frames';
import { fullMarket, packetsOf, rowText, WINDOW_MS } from './window-fixture';

const SEED = 7_117;
const OTHER = 'ETHUSD-PERP';
const SYMBOLS = [SYMBOL, OTHER];
const END_MS = WINDOW_MS + 20_000;

type Frame = NonNullable<marketData.StreamReplayResponse['frame']>;

interface Reported extends Piece {
  readonly of: number;
}

let system: System;

/** Half of its rows share their receive millisecond with a row of the other symbol. */
function otherMarket(): LogFixture {
  const fixture = new LogFixture(OTHER).connected(START_MS, ['book', 'trade']).tick(START_MS);
  for (let step = 1; step <= 400; step += 1) {
    const atMs = START_MS + step * 250;
    fixture.book(atMs - (step % 2 === 0 ? 120 : 110), String(step), '20', '21').trade(atMs - 60, String(step), '20.5', '1');
    if (step === 270)
      fixture.status(atMs - 30, {
        type: 'gap',
        gapId: 'gap_other',
        channel: 'trade',
        startMs: atMs - 900,
        endMs: atMs - 500,
        reason: 'sequence_gap',
      });
    fixture.tick(atMs);
  }
  return fixture;
}

beforeAll(async () => {
  system = await startDataPlaneSystem({ SYMBOLS: SYMBOLS.join(',') });
  const market = fullMarket();
  system.labeling.packets = packetsOf(market);
  await system.play(market);
  await system.play(otherMarket(), OTHER);
});

afterAll(() => system.close());

type After = marketData.LogPosition | undefined;

function requestOf(request: Partial<marketData.StreamReplayRequest> = {}): marketData.StreamReplayRequest {
  const channels = ['book', 'trades'];
  return { symbol: SYMBOL, startMs: WINDOW_MS, endMs: END_MS, channels, asOfMs: 0, speed: 0, after: undefined, further: [], ...request };
}

async function framesOf(request: Partial<marketData.StreamReplayRequest>): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const { frame } of system.call.streamReplay(requestOf(request))) if (frame !== undefined) frames.push(frame);
  return frames;
}

const bothOf = (asOfMs = 0, after: readonly After[] = []): Promise<Frame[]> =>
  framesOf({ asOfMs, after: after[0], further: [{ symbol: OTHER, asOfMs, after: after[1] }] });

function reportedBy(frames: readonly Frame[]): Reported[] {
  return frames.flatMap((frame) => {
    if (frame.$case === 'mergedRows') {
      const { rows, of } = frame.value;
      return rows.map((row, at) => ({
        of: of[at] ?? -1,
        text: rowText(row),
        place: { epoch: row.epoch, ordinal: row.sequence, packetWindowEndMs: row.packetWindowEndMs },
      }));
    }
    return frame.$case === 'gap' ? piecesOf(frame).map((piece) => ({ ...piece, of: SYMBOLS.indexOf(frame.value.symbol) })) : [];
  });
}

test('rows of two symbols come merged by when they were received; each has the plan, rows, gaps and receipt of its own replay', async () => {
  const frames = await bothOf();
  const reported = reportedBy(frames);
  for (const [of, symbol] of SYMBOLS.entries()) {
    const own = await framesOf({ symbol });
    expect(reported.filter((piece) => piece.of === of).map(({ text }) => text)).toEqual(own.flatMap(piecesOf).map(({ text }) => text));
    expect([frames[of], frames.at(of - 2)]).toEqual([own[0], own.at(-1)]);
  }
  expect(frames.at(-2)).toMatchObject({ $case: 'receipt', value: { complete: true } });
  expect(frames.at(-1)).toMatchObject({ $case: 'receipt', value: { complete: false, gapIds: ['gap_other'] } });
  const received = frames.flatMap((frame) =>
    frame.$case === 'mergedRows' ? frame.value.rows.map(({ receivedTsMs }, at) => [receivedTsMs, frame.value.of[at] ?? -1] as const) : [],
  );
  expect(received).toEqual([...received].sort(([one, a], [other, b]) => one - other || a - b));
  expect(new Set(received.map(([ms]) => ms)).size).toBeLessThan(received.length - 20);
});

test('a merged replay that is cut anywhere and gone on with is the uncut one, with the same receipts', async () => {
  const uncut = await bothOf();
  const reported = reportedBy(uncut);
  const asOfMs = uncut[0]?.$case === 'plan' ? uncut[0].value.asOfMs : 0;
  const whole = await bothOf(asOfMs);
  expect(reportedBy(whole)).toEqual(reported);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: reported.length - 2 }), async (cut) => {
      const after = SYMBOLS.map((_symbol, of) => reported.slice(0, cut + 1).findLast((piece) => piece.of === of)?.place);
      const rest = await bothOf(asOfMs, after);
      expect(reportedBy(rest)).toEqual(reported.slice(cut + 1));
      expect(rest.slice(-2)).toEqual(whole.slice(-2));
    }),
    { seed: SEED, numRuns: 10 },
  );
});

test('every fault of the further symbols is named', async () => {
  const first = async (request: Partial<marketData.StreamReplayRequest>): Promise<unknown> => {
    for await (const message of system.call.streamReplay(requestOf(request))) return message;
    return undefined;
  };
  const further = (symbol: string, asOfMs = 0) => ({ symbol, asOfMs, after: undefined });
  expect(await faultsOf(first({ further: [further(SYMBOL)] }))).toEqual(['further']);
  expect(await faultsOf(first({ further: [further('eth', -1)], speed: 101 }))).toEqual(['further.as_of_ms', 'speed', 'symbol']);
  const many = Array.from({ length: 20 }, (_none, at) => further(`A${at}USD-PERP`));
  expect(await faultsOf(first({ further: many }))).toEqual(['further']);
});
