import { inSlices, yieldToEventLoop } from './yield-to-event-loop';

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
