import type { marketData } from '@market-state/contracts';
import { pacedFrames, type ReplayItem, type Timer } from './paced-frames';

const START_MS = 1_767_657_600_000;

function row(receivedMs: number, sizeBytes = 10): ReplayItem {
  const line = Buffer.alloc(sizeBytes, 'x');
  const facts = {
    channel: 'trades',
    sequence: receivedMs,
    epoch: 1,
    exchangeTsMs: receivedMs,
    receivedTsMs: receivedMs,
    flags: 0,
    packetDigest: '',
    packetWindowEndMs: 0,
  };
  return { kind: 'row', receivedMs, row: { ...facts, line } };
}

/** Only sleeping advances this clock. */
function sleepyTimer(): Timer {
  let nowMs = 500;
  return {
    nowMs: () => nowMs,
    sleep: (durationMs) => {
      nowMs += durationMs;
      return Promise.resolve();
    },
  };
}

async function* listed(items: readonly ReplayItem[]): AsyncGenerator<ReplayItem> {
  yield* items;
}

type Said = readonly [atMs: number, kind: string, total: number];

async function paced(items: readonly ReplayItem[], speed: number, signal = new AbortController().signal): Promise<Said[]> {
  const timer = sleepyTimer();
  const startMs = timer.nowMs();
  const said: Said[] = [];
  for await (const frame of pacedFrames(listed(items), { speed, timer, signal })) {
    said.push([timer.nowMs() - startMs, frame.$case, frame.$case === 'rows' ? frame.value.rows.length : 0]);
  }
  return said;
}

const recorded = [row(START_MS), row(START_MS + 1_000), row(START_MS + 1_004), row(START_MS + 3_000)];

test('rows go as far apart as they were received, divided by the speed; what is due together goes together', async () => {
  expect(await paced(recorded, 1)).toEqual([
    [0, 'rows', 1],
    [1_000, 'rows', 2],
    [3_000, 'rows', 1],
  ]);
  expect(await paced(recorded, 4)).toEqual([
    [0, 'rows', 1],
    [250, 'rows', 2],
    [750, 'rows', 1],
  ]);
});

test('as fast as it is taken there is no waiting, and messages are full', async () => {
  expect(await paced(recorded, 0)).toEqual([[0, 'rows', 4]]);
  const large = Array.from({ length: 10 }, (_unused, index) => row(START_MS + index * 60_000, 100_000));
  expect(await paced(large, 0)).toEqual(Array.from({ length: 5 }, () => [0, 'rows', 2]));
});

test('a silent stream sends a heartbeat within ten seconds', async () => {
  expect(await paced([row(START_MS), row(START_MS + 25_000)], 1)).toEqual([
    [0, 'rows', 1],
    [10_000, 'heartbeat', 0],
    [20_000, 'heartbeat', 0],
    [25_000, 'rows', 1],
  ]);
});

test('the heartbeat carries the feed clock of the replay', async () => {
  const timer = sleepyTimer();
  const clocks: number[] = [];
  for await (const frame of pacedFrames(listed([row(START_MS), row(START_MS + 60_000)]), {
    speed: 2,
    timer,
    signal: new AbortController().signal,
  })) {
    if (frame.$case === 'heartbeat') clocks.push(frame.value.feedClockMs);
  }
  expect(clocks).toEqual([START_MS + 20_000, START_MS + 40_000]);
});

test('a gap stands between the rows that it was between, and what was sent before is passed over', async () => {
  const gap: ReplayItem = { kind: 'gap', receivedMs: START_MS + 1_000, gap: { gapId: 'gap_1' } as marketData.Gap };
  const passed: ReplayItem = { kind: 'passed', receivedMs: START_MS - 9_000 };
  expect(await paced([passed, row(START_MS), row(START_MS + 1_000), gap, row(START_MS + 1_001)], 1)).toEqual([
    [0, 'rows', 1],
    [1_000, 'rows', 1],
    [1_000, 'gap', 0],
    [1_000, 'rows', 1],
  ]);
});

test('a reader who leaves ends the waiting', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await paced(recorded, 1, stop.signal)).toEqual([]);
});
