import { shardOf } from './notifier';

test('the shard of a key is fixed, and keys are spread over all shards', () => {
  // Published FNV-1a values of the empty string and `a`.
  expect([shardOf('', 2 ** 32), shardOf('a', 2 ** 32)]).toEqual([0x811c9dc5, 0xe40c292c]);
  const shards = new Set(Array.from({ length: 200 }, (_, number) => shardOf(`whk_${number}`, 16)));
  expect(shards.size).toBe(16);
});
