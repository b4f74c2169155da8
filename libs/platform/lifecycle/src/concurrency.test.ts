import { setTimeout as delay } from 'node:timers/promises';
import { createConcurrencyLimit, createKeyedConcurrencyLimit, runTogether, inSlices, yieldToEventLoop } from './concurrency';

it('runs up to the limit and the rest in order, regardless of the outcome of earlier work', async () => {
  const limit = createConcurrencyLimit(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3, 4, 5].map((number) =>
      limit(async () => {
        started.push(number);
        running += 1;
        most = Math.max(most, running);
        await delay(5);
        running -= 1;
        if (number === 1) throw new Error('no');
        return number;
      }),
    ),
  );
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4, 5]);
});

/** Work that runs until `end`. */
function openWork() {
  const work = { startedTasks: false, end: (): void => undefined };
  const run = (): Promise<string> => {
    work.startedTasks = true;
    return new Promise((resolve) => {
      work.end = () => resolve('done');
    });
  };
  return Object.assign(work, { run });
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));
const refusal = () => new Error('full');

it('refuses work beyond those that may wait', async () => {
  const limit = createConcurrencyLimit(2, { waitingMax: 2, waitMsMax: 60_000, refusal });
  const all = Array.from({ length: 4 }, openWork);
  const answers = all.map(({ run }) => limit(run));
  await expect(limit(async () => 'never')).rejects.toThrow('full');
  expect(all.map(({ startedTasks }) => startedTasks)).toEqual([true, true, false, false]);
  all[1]?.end();
  await turnOfTheLoop();
  expect(all.map(({ startedTasks }) => startedTasks)).toEqual([true, true, true, false]);
  all[0]?.end();
  await turnOfTheLoop();
  for (const each of all) each.end();
  await expect(Promise.all(answers)).resolves.toEqual(['done', 'done', 'done', 'done']);
  await expect(limit(async () => 'again')).resolves.toBe('again');
});

it('refuses work that waited too long, and does not start it later', async () => {
  const limit = createConcurrencyLimit(1, { waitingMax: 9, waitMsMax: 1, refusal });
  const first = openWork();
  const running = limit(first.run);
  const late = openWork();
  await expect(limit(late.run)).rejects.toThrow('full');
  first.end();
  await running;
  expect(late.startedTasks).toBe(false);
  await expect(limit(async () => 'free')).resolves.toBe('free');
});

it('limits each key by itself', async () => {
  const limitOf = createKeyedConcurrencyLimit(1, { waitingMax: 1, waitMsMax: 60_000, refusal });
  const [first, second, other] = [openWork(), openWork(), openWork()];
  const answers = [limitOf('a', first.run), limitOf('a', second.run), limitOf('b', other.run)];
  await expect(limitOf('a', async () => 'never')).rejects.toThrow('full');
  expect([first.startedTasks, second.startedTasks, other.startedTasks]).toEqual([true, false, true]);
  first.end();
  await turnOfTheLoop();
  second.end();
  other.end();
  await expect(Promise.all(answers)).resolves.toEqual(['done', 'done', 'done']);
  await expect(limitOf('a', async () => 'again')).resolves.toBe('again');
});

test('items submitted during a call share the next one, and each gets its own result', async () => {
  const calls: number[][] = [];
  const submit = runTogether<number, number>(async (items) => {
    calls.push([...items]);
    if (calls.length === 1) later.push(submit(3), submit(4));
    return items.map((item) => (item === 4 ? Promise.reject(new Error('four')) : item * 10));
  });
  const later: Promise<number>[] = [];
  expect(await Promise.all([submit(1), submit(2)])).toEqual([10, 20]);
  expect(await Promise.allSettled(later)).toEqual([
    { status: 'fulfilled', value: 30 },
    { status: 'rejected', reason: new Error('four') },
  ]);
  expect(calls).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a call that fails fails for its own items alone', async () => {
  let calls = 0;
  const submit = runTogether<string, string>(async (items) => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return items;
  });
  await expect(Promise.all([submit('a'), submit('b')])).rejects.toThrow('down');
  expect(await submit('c')).toBe('c');
});

it('gives each caller its own turn of the event loop, in order', async () => {
  const seen: string[] = [];
  let turn = 0;
  let running = true;
  const count = (): void => {
    turn += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await yieldToEventLoop();
      seen.push(`${name}${turn}`);
    }),
  );
  running = false;
  expect(seen.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  expect(new Set(seen.map((entry) => entry.slice(1))).size).toBe(3);
});

it('returns all results, with turns of the event loop in between', async () => {
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const busy = (item: number): number => {
    for (const untilMs = performance.now() + 2; performance.now() < untilMs; );
    return item * 2;
  };
  expect(await inSlices([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], busy)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(2);
});
