import { currentRequestContext, withRequestContext } from '@market-state/logging';
import { keptFor } from './kept-answer';

it('is made once for all who ask at one time, and anew after its time', async () => {
  let nowMs = 0;
  let made = 0;
  const read = keptFor(
    1_000,
    () => nowMs,
    async () => ++made,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  nowMs = 999;
  expect(await read()).toBe(1);
  nowMs = 1_000;
  expect(await read()).toBe(2);
});

it('keeps no failure', async () => {
  let made = 0;
  const read = keptFor(
    1_000,
    () => 0,
    async () => {
      made += 1;
      if (made === 1) throw new Error('down');
      return made;
    },
  );
  await expect(read()).rejects.toThrow('down');
  expect(await read()).toBe(2);
});

it('is made for all who ask, though the first goes away', async () => {
  const gone = new AbortController();
  const read = keptFor(
    1_000,
    () => 0,
    async () => currentRequestContext(),
  );
  const context = await withRequestContext({ requestId: 'first', signal: gone.signal }, read);
  expect(context).toEqual({ requestId: 'first' });
});
