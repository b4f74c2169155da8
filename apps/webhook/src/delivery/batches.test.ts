import { createBatches, type Groups } from './batches';

interface Item {
  readonly key: string;
  readonly number: number;
}

/** Work that ends on command. */
function openWork() {
  const batches: {
    readonly groups: Groups<Item>;
    readonly end: (left?: readonly string[]) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const work = (groups: Groups<Item>) =>
    new Promise<readonly string[]>((resolve, reject) => {
      batches.push({ groups, end: (left = []) => resolve(left), fail: reject });
    });
  const undone = jest.fn();
  const open = ({ atOnce = 1, keysMax = 100 } = {}) =>
    createBatches<Item>({ keyOf: ({ key }) => key, atOnce, keysMax: () => keysMax, work, undone });
  const keysOf = () =>
    batches.map(({ groups }) => [...groups].map(([key, items]) => `${key}${items.map(({ number }) => number).join('')}`));
  return { batches, open, keysOf, undone };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the first item is processed immediately, those arriving in the meantime together, grouped by key', async () => {
  const { batches, open, keysOf } = openWork();
  const { add } = open();
  const items = ['a1', 'b1', 'c1', 'b2'].map((name) => add({ key: name.charAt(0), number: Number(name.charAt(1)) }));
  await turn();
  expect(keysOf()).toEqual([['a1', 'b12', 'c1']]);
  items.push(add({ key: 'd', number: 1 }), add({ key: 'e', number: 1 }));
  await turn();
  expect(batches).toHaveLength(1);
  batches[0]?.end();
  await turn();
  expect(keysOf()[1]).toEqual(['d1', 'e1']);
  batches[1]?.end();
  await Promise.all(items);
});

test('a key is in one batch at a time, and a batch has so many keys at most', async () => {
  const { batches, open, keysOf } = openWork();
  const { add } = open({ atOnce: 2, keysMax: 2 });
  const first = add({ key: 'a', number: 1 });
  await turn();
  const rest = [add({ key: 'a', number: 2 }), add({ key: 'b', number: 1 }), add({ key: 'c', number: 1 }), add({ key: 'd', number: 1 })];
  await turn();
  expect(keysOf()).toEqual([['a1'], ['b1', 'c1']]);
  batches[1]?.end();
  await turn();
  expect(keysOf()[2]).toEqual(['d1']);
  batches[0]?.end();
  await first;
  await turn();
  expect(keysOf()[3]).toEqual(['a2']);
  for (const { end } of batches) end();
  await Promise.all(rest);
});

test('what a batch leaves is worked on alone, while others of it are done and later ones go on', async () => {
  const { batches, open, keysOf } = openWork();
  const { add } = open();
  const [done, left] = [add({ key: 'a', number: 1 }), add({ key: 'b', number: 1 })];
  await turn();
  batches[0]?.end(['b']);
  await done;
  const later = add({ key: 'c', number: 1 });
  await turn();
  expect(keysOf()).toEqual([['a1', 'b1'], ['b1'], ['c1']]);
  batches[2]?.end();
  await later;
  batches[1]?.end();
  await left;
});

test('one that fails keeps no other of its batch from being done: each is tried alone, and it alone is rejected', async () => {
  const { batches, open, keysOf, undone } = openWork();
  const { add } = open();
  const [bad, good] = [add({ key: 'bad', number: 1 }), add({ key: 'good', number: 1 })];
  await turn();
  const error = new Error('no batch');
  batches[0]?.fail(error);
  await turn();
  expect(keysOf().slice(1)).toEqual([['bad1'], ['good1']]);
  batches[1]?.fail(new Error('not this one'));
  batches[2]?.end();
  await expect(bad).rejects.toThrow('not this one');
  await good;
  expect(undone.mock.calls).toEqual([[error]]);
});
