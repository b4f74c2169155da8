import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { backoffMs, delay, waitFor, timeLimit } from './waits';

test('a dependency is probed until available, and its result is returned', async () => {
  let tries = 0;
  const answer = await waitFor(
    'store',
    async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return 'there';
    },
    { minDelayMs: 1, maxDelayMs: 2 },
  );
  expect([answer, tries]).toEqual(['there', 3]);
});

test('waiting for a dependency ends with its signal', async () => {
  const stop = new AbortController();
  const waiting = waitFor('store', () => Promise.reject(new Error('never')), { signal: stop.signal });
  setImmediate(() => stop.abort(new Error('stopped')));
  await expect(waiting).rejects.toThrow('stopped');
});

test.each([
  [0, 0, 100],
  [0, 1, 200],
  [2, 1, 800],
  [9, 1, 1_000],
  [500, 1, 1_000],
  [500, 0, 100],
])('delay after %i failures at random %d is %i ms', (attempt, random, expected) => {
  expect(backoffMs(attempt, { minMs: 100, maxMs: 1_000, random: () => random })).toBe(expected);
});

test('a delay rejects immediately if aborted before or while waiting', async () => {
  const stop = new AbortController();
  const waiting = delay(60_000, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(delay(60_000, stop.signal)).rejects.toThrow('stopped');
});

setFlagsFromString('--expose-gc');
const collectMemory = runInNewContext('gc') as () => void;

it('also fires as one of several signals after garbage collection', async () => {
  const never = new AbortController();
  const either = Array.from({ length: 20 }, () => AbortSignal.any([never.signal, timeLimit(100)]));
  await delay(10);
  collectMemory();
  await delay(200);
  expect(either.map(({ aborted }) => aborted)).toEqual(either.map(() => true));
  expect(either.map(({ reason }) => (reason as Error).name)).toEqual(either.map(() => 'TimeoutError'));
});
