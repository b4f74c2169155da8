import type { Rows } from '@market-state/client';
import { readPages } from './read-pages';

test('a list with short pages is read to its end', async () => {
  const pages = [[1, 2], [], [3]].map((rows) => ({ data: { rows }, call: { charged: 1, remaining: 10 } }));
  const list = {
    pages: async function* () {
      yield* pages;
    },
  } as unknown as Rows<'listHistory'>;
  expect(await readPages(list, ({ rows }) => rows as unknown as number[])).toEqual([1, 2, 3]);
});
