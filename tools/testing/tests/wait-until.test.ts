import { waitUntil } from '../src/index';

test('the first value that is there is given back; errors and nothing mean "not yet"', async () => {
  const values = [
    () => undefined,
    () => false as const,
    () => {
      throw new Error('not yet');
    },
    () => 0,
  ];
  expect(await waitUntil('a number', () => values.shift()?.())).toBe(0);
});

test('what was not seen by the deadline is named, with the last error as the cause', async () => {
  const cause = new Error('still closed');
  const refused = () => Promise.reject(cause);
  await expect(waitUntil('an open door', refused, 0)).rejects.toMatchObject({ message: 'Not seen: an open door', cause });
});
