import { runTogether } from './run-together';

test('items submitted during a call share the next one, and each gets its own result', async () => {
  const calls: number[][] = [];
  const submit = runTogether<number, number>(async (items) => {
    calls.push([...items]);
    if (calls.length === 1) later.push(submit(3), submit(4));
    return items.map((item) => (item === 4 ? Promise.reject(new Error('four')) : item * 10));
  });
  const later: Promise<number>[] = [];
  expect(await Promise.all([submit(1), submit(2)])).toEqual([10, 20]);
  expect(await Promise.allSettled(later)).toEqual([
    { status: 'fulfilled', value: 30 },
    { status: 'rejected', reason: new Error('four') },
  ]);
  expect(calls).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a call that fails fails for its own items alone', async () => {
  let calls = 0;
  const submit = runTogether<string, string>(async (items) => {
    calls += 1;
    if (calls === 1) throw new Error('down');
    return items;
  });
  await expect(Promise.all([submit('a'), submit('b')])).rejects.toThrow('down');
  expect(await submit('c')).toBe('c');
});
