import type { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { mergeByTime } from './stream-replay';
import { pacedFrames, type ReplayItem } from '../window/paced-frames';

const SEED = 20_260_301;
const START_MS = 1_767_657_600_000;

function row(sequence: number, receivedMs: number, sizeBytes = 10): ReplayItem {
  const line = Buffer.alloc(sizeBytes, 'x');
  const facts = { channel: 'trades', sequence, epoch: 1, exchangeTsMs: receivedMs, receivedTsMs: receivedMs, flags: 0 };
  return { kind: 'row', receivedMs, row: { ...facts, line, packetDigest: '', packetWindowEndMs: 0 } };
}

async function* listed(items: readonly ReplayItem[]): AsyncGenerator<ReplayItem> {
  yield* items;
}

const sequenceOf = (item: ReplayItem): number => (item.kind === 'row' ? item.row.sequence : -1);

async function merged(
  replays: readonly (readonly ReplayItem[])[],
): Promise<(readonly [of: number, sequence: number, receivedMs: number])[]> {
  const items: (readonly [number, number, number])[] = [];
  for await (const item of mergeByTime(replays.map(listed))) items.push([item.of, sequenceOf(item), item.receivedMs]);
  return items;
}

/** A feed's clock may step back. */
const replays = fc.array(
  fc.array(fc.integer({ min: -2, max: 6 }), { maxLength: 20 }).map((steps) => {
    let receivedMs = START_MS;
    return steps.map((step, at) => row(at, (receivedMs += step)));
  }),
  { minLength: 1, maxLength: 5 },
);

test('a merge has each replay whole and in its own order, and where clocks only rise all of it by time and place in the list', async () => {
  await fc.assert(
    fc.asyncProperty(replays, async (each) => {
      const all = await merged(each);
      expect(each.map((_replay, of) => all.filter((item) => item[0] === of).map((item) => item[1]))).toEqual(
        each.map((replay) => replay.map(sequenceOf)),
      );
      const rises = each.every((replay) => replay.every((item, at) => at === 0 || item.receivedMs >= (replay[at - 1]?.receivedMs ?? 0)));
      if (rises) expect(all).toEqual([...all].sort(([a, , one], [b, , other]) => one - other || a - b));
    }),
    { seed: SEED },
  );
});

test('a merge that is cut anywhere and gone on with behind what each replay had is the uncut one', async () => {
  await fc.assert(
    fc.asyncProperty(replays, fc.nat(), async (each, at) => {
      const whole = await merged(each);
      const cut = whole.length === 0 ? 0 : at % whole.length;
      const had = each.map((_replay, of) => whole.slice(0, cut).filter((item) => item[0] === of).length);
      expect(await merged(each.map((replay, of) => replay.slice(had[of])))).toEqual(whole.slice(cut));
    }),
    { seed: SEED },
  );
});

test('rows of merged replays keep their own in messages of any size', async () => {
  const each = [0, 1, 2].map((of) => Array.from({ length: 40 }, (_none, at) => row(of * 1_000 + at, START_MS + at * 3 + of, 40_000)));
  const timer = { nowMs: () => 0, sleep: () => Promise.resolve() };
  const frames = pacedFrames(mergeByTime(each.map(listed)), { speed: 0, timer, signal: new AbortController().signal });
  const batches: marketData.MergedRows[] = [];
  for await (const frame of frames) if (frame.$case === 'mergedRows') batches.push(frame.value);
  expect(batches.length).toBeGreaterThan(10);
  const reported = batches.flatMap(({ rows, of }) => rows.map(({ sequence }, at) => [of[at], Math.floor(sequence / 1_000)]));
  expect(reported).toHaveLength(120);
  expect(reported.every(([of, expected]) => of === expected)).toBe(true);
});

test('a merge that is left lets go of every replay', async () => {
  const left: number[] = [];
  async function* endless(of: number): AsyncGenerator<ReplayItem> {
    try {
      for (let at = 0; ; at += 1) yield row(at, START_MS + at);
    } finally {
      left.push(of);
    }
  }
  for await (const item of mergeByTime([endless(0), endless(1)])) if (sequenceOf(item) === 3) break;
  expect(left.sort()).toEqual([0, 1]);
});
