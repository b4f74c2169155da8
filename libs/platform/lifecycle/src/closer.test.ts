import { delay } from './backoff';
import { repeatUntilClosed, runUntilClosed } from './closer';

test('closing ends the work and waits for it', async () => {
  const said: string[] = [];
  const work = runUntilClosed(async (signal) => {
    said.push('begun');
    await delay(60_000, signal).catch(() => undefined);
    said.push('ended');
  });
  await work.close();
  expect(said).toEqual(['begun', 'ended']);
});

test('whoever closes work that failed hears of it', async () => {
  const work = runUntilClosed(() => Promise.reject(new Error('no disk')));
  await expect(work.close()).rejects.toThrow('no disk');
});

test('closing ends a running turn through its signal', async () => {
  const work = repeatUntilClosed((signal) => delay(60_000, signal), { intervalMs: 60_000, onError: () => undefined });
  await work.close();
});

test('work is repeated, a failed turn too, and not once it is closed', async () => {
  const errors: unknown[] = [];
  let turns = 0;
  const work = repeatUntilClosed(
    async () => {
      turns += 1;
      if (turns === 2) throw new Error('second');
    },
    { intervalMs: 1, onError: (error) => errors.push(error) },
  );
  while (turns < 4) await new Promise((resolve) => setImmediate(resolve));
  await work.close();
  const atClose = turns;
  await delay(20);
  expect([turns, errors]).toEqual([atClose, [new Error('second')]]);
});
