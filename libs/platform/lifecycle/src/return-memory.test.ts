import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectAllGarbage, createMemoryCheck } from './return-memory';

const MIB = 1_024 * 1_024;

it('collects when the process is calm and has grown since the last collection', () => {
  let [busy, resident, collected] = [1, 200 * MIB, 0];
  const check = createMemoryCheck({
    busyShare: () => busy,
    residentBytes: () => resident,
    collect() {
      collected += 1;
      resident = 100 * MIB;
    },
  });
  const collectedAt = (share: number, mib: number): number => {
    [busy, resident] = [share, mib * MIB];
    check();
    return collected;
  };
  expect(collectedAt(0.9, 200)).toBe(0);
  expect(collectedAt(0.01, 200)).toBe(1);
  expect(collectedAt(0.01, 120)).toBe(1);
  expect(collectedAt(0.9, 150)).toBe(1);
  expect(collectedAt(0.01, 150)).toBe(2);
});

it('frees what is no longer reachable', async () => {
  const reference = new WeakRef({ name: 'unreachable' });
  await nextTurn();
  collectAllGarbage();
  expect(reference.deref()).toBeUndefined();
});
