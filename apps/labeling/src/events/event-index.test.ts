import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { type StabilityWindow, createValidityReader, keepEvents } from './event-index';

const WINDOW: StabilityWindow = { symbol: 'BTCUSD-PERP', fromMs: 1_800_000_000_000, toMs: 1_800_000_600_000, asOfMs: null };

test('callers who ask about the same window share one reading of its labels', async () => {
  const read: StabilityWindow[] = [];
  const validity = createValidityReader({
    labels: (window) => {
      read.push(window);
      return Promise.resolve([]);
    },
  });
  const [first, second] = await Promise.all([validity(WINDOW), validity({ ...WINDOW })]);
  expect(second).toBe(first);
  expect(await validity(WINDOW)).toBe(first);
  expect(read).toEqual([WINDOW]);
  const others = [
    { ...WINDOW, symbol: 'ETHUSD-PERP' },
    { ...WINDOW, toMs: 1_800_000_610_000 },
    { ...WINDOW, asOfMs: 1_800_000_500_000 },
  ];
  for (const other of others) await validity(other);
  expect(read).toEqual([WINDOW, ...others]);
});

test('a failed reading is not kept', async () => {
  let down = true;
  const validity = createValidityReader({ labels: () => (down ? Promise.reject(new Error('down')) : Promise.resolve([])) });
  await expect(validity(WINDOW)).rejects.toThrow('down');
  down = false;
  expect(await validity(WINDOW)).toMatchObject({ packetTotal: 0 });
});

/** Index that accepts reported packets, except while it is unavailable. */
function createIndex() {
  const passes: string[][] = [];
  const index = { away: false, passes };
  const keeper = keepEvents({
    async enter(symbols) {
      await Promise.resolve();
      if (index.away) throw new Error('away');
      passes.push([...symbols].sort());
    },
    logger: silentLogger(),
  });
  return { index, keeper };
}

test('packets of several symbols that are pushed together are entered at once, a moment later, without a reader', async () => {
  const { index, keeper } = createIndex();
  for (const symbol of ['B', 'A', 'B']) keeper.stored(symbol);
  await waitUntil('a pass', () => index.passes.length > 0);
  expect(index.passes).toEqual([['A', 'B']]);
  await keeper.close();
});

test('who needs the index whole has it entered now, together with who asked before, and nothing where nothing waits', async () => {
  const { index, keeper } = createIndex();
  keeper.stored('A');
  await Promise.all([keeper.whole(), keeper.whole()]);
  await keeper.whole();
  expect(index.passes).toEqual([['A']]);
  await keeper.close();
});

test('a failed write rejects for its waiters and is retried together with later entries', async () => {
  const { index, keeper } = createIndex();
  index.away = true;
  keeper.stored('A');
  await expect(keeper.whole()).rejects.toThrow('away');
  keeper.stored('B');
  index.away = false;
  await waitUntil('a pass', () => index.passes.length > 0);
  expect(index.passes).toEqual([['A', 'B']]);
  await keeper.close();
});

test('what waits at the end is entered before it is closed', async () => {
  const { index, keeper } = createIndex();
  keeper.stored('A');
  await keeper.close();
  expect(index.passes).toEqual([['A']]);
});
