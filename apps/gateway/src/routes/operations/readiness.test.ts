import type { ServedPacket } from '../../clients/packet-client';
import type { LatestCache } from '../../caches/latest/latest-cache';
import { createReadiness, type ReadinessDeps } from './readiness';

const nowMs = 1_000_000;

/** A gateway whose other dependencies are all ready. */
function packetsOf(
  packets: Readonly<Record<string, Pick<ServedPacket, 'freshUntilMs' | 'sourceKind'> | undefined>>,
  notPushed: readonly string[] = [],
) {
  const latestCache = { symbols: () => Object.keys(packets), packet: (symbol: string) => packets[symbol] } as unknown as LatestCache;
  const serving = { call: { check: async () => ({ status: 'SERVING' }) } };
  const deps = {
    latestCache,
    directory: { isWatching: () => true },
    accountHealth: serving,
    source: { isStreaming: () => true, notPushed: () => notPushed },
    dataHealth: { current: () => ({ reachable: true, down: [] }) },
    isStopping: () => false,
    now: () => nowMs,
    monotonicMs: () => 0,
  } as unknown as ReadinessDeps;
  return createReadiness(deps)().then(({ status, dependencies }) => ({
    status,
    detail: dependencies.find(({ name }) => name === 'packets')?.detail,
  }));
}

const fresh = nowMs + 1;
const stale = nowMs;

it('waits for a fresh packet of a recording that is still being filled', async () => {
  expect(
    await packetsOf({ A: { sourceKind: 'recorded', freshUntilMs: stale }, B: { sourceKind: 'simulated', freshUntilMs: fresh } }),
  ).toEqual({ status: 'not_ready', detail: 'No fresh packet for A.' });
});

it.each(['live', 'simulated'] as const)(
  'serves the last packet of a %s symbol whose feed has just recovered, and reports that it is not fresh',
  async (sourceKind) => {
    expect(await packetsOf({ A: { sourceKind: 'recorded', freshUntilMs: fresh }, B: { sourceKind, freshUntilMs: stale } })).toEqual({
      status: 'ready',
      detail: 'Every symbol has a packet; not fresh: B.',
    });
  },
);

it('waits for the first packet of every symbol', async () => {
  expect(await packetsOf({ A: { sourceKind: 'recorded', freshUntilMs: fresh }, B: undefined })).toEqual({
    status: 'not_ready',
    detail: 'No fresh packet for B.',
  });
});

it('serves the last packet of a symbol whose shard is down while others are pushed, but waits for its first', async () => {
  const packets = { A: { sourceKind: 'recorded', freshUntilMs: fresh }, B: { sourceKind: 'recorded', freshUntilMs: stale } } as const;
  expect(await packetsOf(packets, ['B'])).toEqual({ status: 'ready', detail: 'Every symbol has a packet; not fresh: B.' });
  expect(await packetsOf({ ...packets, B: undefined }, ['B'])).toEqual({ status: 'not_ready', detail: 'No fresh packet for B.' });
});
