import { delay } from './waits';
import { CloseError, createCloser, repeatUntilClosed, runUntilClosed } from './closer';

test('steps close one after the other, last opened first', async () => {
  const closed: string[] = [];
  const closer = createCloser();
  for (const step of ['store', 'server', 'ops']) {
    closer.add(step, async () => {
      await Promise.resolve();
      closed.push(step);
    });
  }
  await closer.close();
  expect(closed).toEqual(['ops', 'server', 'store']);
});

test('a failed step does not keep the others open, and every failure is reported', async () => {
  const closed: string[] = [];
  const closer = createCloser();
  closer.add('first', () => void closed.push('first'));
  closer.add('second', () => Promise.reject(new Error('stuck')));
  const failure = closer.close();
  await expect(failure).rejects.toBeInstanceOf(CloseError);
  await expect(failure).rejects.toThrow('second');
  expect(closed).toEqual(['first']);
});

test('closing twice closes once', async () => {
  let times = 0;
  const closer = createCloser();
  closer.add('once', () => void (times += 1));
  await Promise.all([closer.close(), closer.close()]);
  expect(times).toBe(1);
});

test('closing ends the work and waits for it', async () => {
  const said: string[] = [];
  const work = runUntilClosed(async (signal) => {
    said.push('started');
    await delay(60_000, signal).catch(() => undefined);
    said.push('ended');
  });
  await work.close();
  expect(said).toEqual(['started', 'ended']);
});

test('close rejects with the failure of the work', async () => {
  const work = runUntilClosed(() => Promise.reject(new Error('no disk')));
  await expect(work.close()).rejects.toThrow('no disk');
});

test('closing ends a running iteration through its signal', async () => {
  const work = repeatUntilClosed((signal) => delay(60_000, signal), { intervalMs: 60_000, onError: () => undefined });
  await work.close();
});

test('work is repeated, also after a failure, and not once it is closed', async () => {
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
