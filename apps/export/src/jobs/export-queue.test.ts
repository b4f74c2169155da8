import { workOfPart } from './export-queue';

const MINUTE_MS = 60_000;
const ORDERED_MS = Date.UTC(2026, 0, 1);

/** Part ids in the order in which workers receive them. */
function orderOf(exports: readonly { readonly jobId: string; readonly partTotal: number; readonly atMs: number }[]): string[] {
  const work = exports.flatMap(({ jobId, partTotal, atMs }) =>
    Array.from({ length: partTotal }, (_, index) => workOfPart({ jobId, number: index + 1, createdMs: atMs })),
  );
  return work.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0)).map(({ jobId }) => jobId);
}

test('a small export passes a large one that was ordered before it', () => {
  const order = orderOf([
    { jobId: 'large', partTotal: 30, atMs: ORDERED_MS },
    { jobId: 'small', partTotal: 1, atMs: ORDERED_MS + 5 * MINUTE_MS },
  ]);
  expect(order.indexOf('small.1')).toBe(6);
});

test('a large export waits only for what is ordered within as many minutes as it has parts, however much that is', () => {
  const small = Array.from({ length: 500 }, (_, index) => ({ jobId: `small${index}`, partTotal: 1, atMs: ORDERED_MS + index * MINUTE_MS }));
  const order = orderOf([{ jobId: 'large', partTotal: 30, atMs: ORDERED_MS }, ...small]);
  expect(order.indexOf('large.30')).toBeLessThan(60);
});

test('priorities stay within those of BullMQ', () => {
  for (const createdMs of [0, ORDERED_MS, Date.UTC(2100, 0)]) {
    const { priority = 0 } = workOfPart({ jobId: 'job', number: 620, createdMs });
    expect(priority).toBeGreaterThan(0);
    expect(priority).toBeLessThan(2 ** 21);
  }
});
