import type { labeling } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';
import fc from 'fast-check';
import { countPackets, type PacketDeps } from './packet-rows';

type Kept = Pick<labeling.PacketBrief, 'windowEndMs' | 'sequence'>;

const KNOWN_AFTER_MS = 1_200;

/** Labeling with these packets, oldest first, each known shortly after its window's end; counts its calls. */
function labelingOf(kept: readonly Kept[]): { readonly deps: PacketDeps; readonly calls: { total: number } } {
  const calls = { total: 0 };
  const listNeighbours = async ({ windowEndMs, before, after, asOfMs }: labeling.ListNeighboursRequest) => {
    calls.total += 1;
    const known = asOfMs === 0 ? kept : kept.filter((packet) => packet.windowEndMs + KNOWN_AFTER_MS <= asOfMs);
    const earlier = known.filter((packet) => packet.windowEndMs < windowEndMs);
    const later = known.filter((packet) => packet.windowEndMs > windowEndMs);
    return { before: before === 0 ? [] : earlier.slice(-before), after: later.slice(0, after) };
  };
  return { deps: { labeling: { call: { listNeighbours } } } as unknown as PacketDeps, calls };
}

const ORIGIN_MS = 1_800_000_000_000;

/** Packets of consecutive numbers, with holes between their windows. */
const retained = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 12 }))
  .map(([first, steps]): Kept[] => {
    let windows = 0;
    return steps.map((step, index) => {
      windows += step;
      return { windowEndMs: ORIGIN_MS + windows * WINDOW_MS, sequence: first + index };
    });
  });

const span = fc
  .tuple(fc.integer({ min: -20_000, max: 300_000 }), fc.integer({ min: 1, max: 120_000 }), fc.integer({ min: 0, max: 600_000 }))
  .map(([offset, length, knownMs]) => ({
    ...{ symbol: 'BTCUSD-PERP', startMs: ORIGIN_MS + offset, endMs: ORIGIN_MS + offset + length },
    asOfMs: ORIGIN_MS + knownMs,
  }));

test('the packets of any window that were known as of an instant are counted as by reading them', async () => {
  await fc.assert(
    fc.asyncProperty(retained, span, async (kept, window) => {
      const { startMs, endMs, asOfMs } = window;
      const known = kept.filter(({ windowEndMs }) => windowEndMs + KNOWN_AFTER_MS <= asOfMs);
      const inside = known.filter(({ windowEndMs }) => windowEndMs >= startMs && windowEndMs < endMs);
      const [oldest] = kept;
      const newestMs = known.at(-1)?.windowEndMs ?? 0;
      const reachesWindow = (kept.at(-1)?.windowEndMs ?? 0) >= startMs;
      expect(await countPackets(labelingOf(kept).deps, window)).toEqual({
        total: inside.length,
        isFinished: reachesWindow && (newestMs >= endMs || newestMs >= Math.floor((endMs - 1) / WINDOW_MS) * WINDOW_MS),
        beforeRetention: oldest !== undefined && oldest.sequence > 1 && oldest.windowEndMs >= startMs + WINDOW_MS,
      });
    }),
  );
});

test('a finished window between retained packets takes one round of three calls', async () => {
  const kept = Array.from({ length: 30 }, (_unused, index) => ({ windowEndMs: ORIGIN_MS + index * WINDOW_MS, sequence: 8 + index }));
  const { deps, calls } = labelingOf(kept);
  const window = { symbol: 'BTCUSD-PERP', startMs: ORIGIN_MS + WINDOW_MS, endMs: ORIGIN_MS + 5 * WINDOW_MS, asOfMs: ORIGIN_MS + 300_000 };
  expect(await countPackets(deps, window)).toEqual({ total: 4, isFinished: true, beforeRetention: false });
  expect(calls.total).toBe(3);
});
