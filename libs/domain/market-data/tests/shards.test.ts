import { crc32 } from 'node:zlib';
import { readShardSettings } from '../src';

const SERVED = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP', 'SOLUSD-PERP', 'XRPUSD-PERP', 'DOGEUSD-PERP'];
const neverRead = (): string => {
  throw new Error('no file is read');
};
const faultsOf = (variables: Parameters<typeof readShardSettings>[0], text = '[]') =>
  readShardSettings(variables, SERVED, () => text).faults.map(({ variable, message }) => `${variable} ${message}`);

it('without settings there is one shard, with every symbol', () => {
  const whole = { index: 0, count: 1, symbols: SERVED, faults: [] };
  expect(readShardSettings({}, SERVED, neverRead)).toEqual(whole);
  expect(readShardSettings({ SHARD_COUNT: '', SHARD_INDEX: '', SHARDS_FILE: '' }, SERVED, neverRead)).toEqual(whole);
  expect(readShardSettings({ SHARD_INDEX: 'labeling-0' }, SERVED, neverRead)).toEqual(whole);
});

it.each([2, 3, 7])('of %i shards each symbol is in one, by its checksum', (count) => {
  const shards = Array.from({ length: count }, (_, index) =>
    readShardSettings({ SHARD_COUNT: String(count), SHARD_INDEX: String(index) }, SERVED, neverRead),
  );
  expect(shards.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(shards.flatMap(({ faults }) => faults)).toEqual([]);
  for (const { index, symbols } of shards) expect(symbols).toEqual(SERVED.filter((symbol) => crc32(symbol) % count === index));
});

it('with standbys ordinals go on beyond the count: the first shard has every so many-th', () => {
  const own = (ordinal: number) =>
    readShardSettings({ SHARD_COUNT: '3', SHARD_INDEX: `feed-${ordinal}` }, SERVED, neverRead, { hasStandbys: true });
  for (let ordinal = 0; ordinal < 9; ordinal += 1) expect(own(ordinal)).toEqual({ ...own(ordinal % 3), index: ordinal % 3, faults: [] });
  expect([0, 1, 2].flatMap((ordinal) => own(ordinal).symbols).sort()).toEqual([...SERVED].sort());
  const alone = readShardSettings({ SHARD_INDEX: 'feed-1' }, SERVED, neverRead, { hasStandbys: true });
  expect(alone).toEqual({ index: 0, count: 1, symbols: SERVED, faults: [] });
});

it('a file names the symbols of each shard, and those that are not served count for nothing', () => {
  const file = JSON.stringify([['ETHUSD-PERP', 'WIFUSD-PERP'], [], SERVED.filter((symbol) => symbol !== 'ETHUSD-PERP')]);
  const own = (SHARD_INDEX: string) => readShardSettings({ SHARDS_FILE: '/shards.json', SHARD_INDEX }, SERVED, () => file);
  expect(own('0')).toEqual({ index: 0, count: 3, symbols: ['ETHUSD-PERP'], faults: [] });
  expect(own('labeling-1').symbols).toEqual([]);
  expect(own('prefix-labeling-2').symbols).toEqual(SERVED.filter((symbol) => symbol !== 'ETHUSD-PERP'));
});

it.each([
  [{ SHARD_COUNT: '2' }, ['SHARD_INDEX must be set if there are 2 shards']],
  [{ SHARD_COUNT: '2', SHARD_INDEX: '2' }, ['SHARD_INDEX must be less than 2, the number of shards']],
  [{ SHARD_INDEX: 'labeling-1' }, ['SHARD_INDEX must be less than 1, the number of shards']],
  [
    { SHARD_COUNT: '0', SHARD_INDEX: '-1.5' },
    ['SHARD_COUNT must be a whole number, 1..1000', 'SHARD_INDEX must be a shard number, or a name that ends with one, such as labeling-1'],
  ],
  [{ SHARD_COUNT: '1001', SHARD_INDEX: '1' }, ['SHARD_COUNT must be a whole number, 1..1000']],
  [{ SHARD_COUNT: 'two' }, ['SHARD_COUNT must be a whole number, 1..1000']],
] as const)('%j is refused', (variables, faults) => {
  expect(faultsOf(variables)).toEqual(faults);
});

const FORM = 'SHARDS_FILE must be JSON: a list with one list of symbols per shard, such as [["A"], ["B", "C"]]';

it.each([
  ['[', [FORM]],
  ['{}', [FORM]],
  ['[]', [FORM]],
  ['[["A", 1]]', [FORM]],
  [JSON.stringify([SERVED, ['BTCUSD-PERP']]), ['SHARDS_FILE lists more than once: BTCUSD-PERP']],
  [
    JSON.stringify([SERVED.slice(2), ['SOLUSD-PERP']]),
    ['SHARDS_FILE lists more than once: SOLUSD-PERP', 'SHARDS_FILE assigns no shard to: BTCUSD-PERP, ETHUSD-PERP'],
  ],
])('a file with %s is refused', (text, faults) => {
  expect(faultsOf({ SHARDS_FILE: '/shards.json', SHARD_INDEX: '0' }, text)).toEqual(faults);
});

it('a file that is not there, and a count that is not the file’s, are refused by name', () => {
  const { faults } = readShardSettings({ SHARDS_FILE: '/nowhere.json', SHARD_INDEX: '0' }, SERVED, neverRead);
  expect(faults).toEqual([{ variable: 'SHARDS_FILE', message: '/nowhere.json cannot be read' }]);
  const two = JSON.stringify([SERVED, []]);
  expect(faultsOf({ SHARDS_FILE: '/shards.json', SHARD_COUNT: '2', SHARD_INDEX: '1' }, two)).toEqual([]);
  expect(faultsOf({ SHARDS_FILE: '/shards.json', SHARD_COUNT: '3', SHARD_INDEX: '1' }, two)).toEqual([
    'SHARD_COUNT must be 2, the number of shards in SHARDS_FILE, or absent',
  ]);
});
