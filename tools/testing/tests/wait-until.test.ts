import { comesTrue, waitUntil } from '../src/index';

test('the first truthy value is returned; errors, nothing, an empty text and 0 mean "not yet"', async () => {
  const values = [
    () => undefined,
    () => false as const,
    () => {
      throw new Error('not yet');
    },
    () => null,
    () => '',
    () => 0,
    () => 7,
  ];
  expect(await waitUntil('a number', () => values.shift()?.())).toBe(7);
});

test('the error names what was not seen by the deadline, with the last error as the cause', async () => {
  const cause = new Error('still closed');
  const refused = () => Promise.reject(cause);
  await expect(waitUntil('an open door', refused, 0)).rejects.toMatchObject({ message: 'Not seen: an open door', cause });
});

test('the polling interval can depend on the time already taken', async () => {
  const taken: number[] = [];
  let looks = 0;
  function pauseAfter(takenAtMs: number): number {
    taken.push(takenAtMs);
    return 5;
  }
  expect(await comesTrue(() => ++looks === 4, { limitMs: 60_000, everyMs: pauseAfter })).toBe(true);
  expect(taken).toHaveLength(3);
  expect(taken).toEqual(taken.toSorted((one, other) => one - other));
  expect(taken.at(-1)).toBeGreaterThan(8);
});
