import { clientWith, json } from './fake-fetch';

/** Three pages of two rows. */
function pages(): ReturnType<typeof clientWith> {
  const page = (at: number): Response => json({ rows: [{ n: 2 * at }, { n: 2 * at + 1 }], next_cursor: at === 2 ? null : `c${at + 1}` });
  return clientWith([page(0), page(1), page(2)]);
}

test('reads every page, and asks for the next when its first row is wanted', async () => {
  const { ms, sent } = pages();
  const numbers: unknown[] = [];
  for await (const row of ms.history.rows({ limit: 2 })) {
    numbers.push((row as unknown as { n: number }).n);
    expect(sent).toHaveLength(Math.floor(numbers.length / 2 + 0.5));
  }
  expect(numbers).toEqual([0, 1, 2, 3, 4, 5]);
  expect(sent.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c1', 'c2']);
});

test('takes no page more than it needs', async () => {
  const { ms, sent } = pages();
  expect(await ms.history.rows({ limit: 2 }).take(2)).toHaveLength(2);
  expect(sent).toHaveLength(1);
  expect(await ms.history.rows().take(0)).toEqual([]);
});

test('gives all rows up to a bound, and refuses to hold more', async () => {
  expect(await pages().ms.history.rows().all({ maxRows: 6 })).toHaveLength(6);
  await expect(pages().ms.history.rows().all({ maxRows: 5 })).rejects.toBeInstanceOf(RangeError);
});

test('ends at the end of a list that grows, whose cursor stays', async () => {
  const { ms, sent } = clientWith([json({ events: [{}], next_cursor: 'c1' }), json({ events: [], next_cursor: 'c1' })]);
  expect(await ms.webhooks.eventsRows().all({ maxRows: 10 })).toHaveLength(1);
  expect(sent).toHaveLength(2);
});
