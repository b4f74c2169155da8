import { ownTurn } from './own-turn';

it('gives each who asks a turn of the event loop alone, in order', async () => {
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
      await ownTurn();
      seen.push(`${name}${turn}`);
    }),
  );
  running = false;
  expect(seen.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  expect(new Set(seen.map((entry) => entry.slice(1))).size).toBe(3);
});
