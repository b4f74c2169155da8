import type { StabilityWindow } from './event-index';
import { createValidityReader } from './validity';

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
