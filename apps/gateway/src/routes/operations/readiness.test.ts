import type { ServedPacket } from '../../clients/packet-client';
import type { LatestCache } from '../../caches/latest/latest-cache';
import { createReadiness, type ReadinessDeps } from './readiness';

const nowMs = 1_000_000;

type Packets = Readonly<
  Record<string, (Pick<ServedPacket, 'freshUntilMs' | 'sourceKind'> & Partial<Pick<ServedPacket, 'windowEndMs'>>) | undefined>
>;

/** A gateway whose other dependencies are all ready. */
function depsOf(
  packets: Packets,
  notPushed: readonly string[] = [],
  filling: readonly { readonly symbol: string; readonly fromMs: number }[] = [],
  imported: readonly string[] = [],
) {
  const latestCache = { symbols: () => Object.keys(packets), packet: (symbol: string) => packets[symbol] } as unknown as LatestCache;
  const serving = { call: { check: async () => ({ status: 'SERVING' }) } };
  return {
    latestCache,
    directory: { isWatching: () => true },
    accountHealth: serving,
    source: { isStreaming: () => true, notPushed: () => notPushed },
    dataHealth: { current: () => ({ reachable: true, down: [], filling, imported }) },
    isStopping: () => false,
    now: () => nowMs,
    monotonicMs: () => 0,
  } as unknown as ReadinessDeps;
}

function packetsOf(...facts: Parameters<typeof depsOf>) {
  return createReadiness(depsOf(...facts))().then(({ status, dependencies }) => ({
    status,
    detail: dependencies.find(({ name }) => name === 'packets')?.detail,
  }));
}

const fresh = nowMs + 1;
const stale = nowMs;

it('serves a recording whose history is being filled, with the progress of its packets', async () => {
  const packets = { A: { sourceKind: 'recorded', freshUntilMs: stale, windowEndMs: 600_000 } } as const;
  const deps = depsOf(packets, [], [{ symbol: 'A', fromMs: 200_000 }]);
  expect(await createReadiness(deps)()).toMatchObject({
    status: 'ready',
    filling: [{ symbol: 'A', from_utc: '1970-01-01T00:03:20.000Z', reached_utc: '1970-01-01T00:10:00.000Z', filled_share: 0.5 }],
  });
  expect(await packetsOf({ A: undefined }, [], [{ symbol: 'A', fromMs: 200_000 }])).toMatchObject({ status: 'not_ready' });
});

it('waits a minute for packets after the feed has caught up, then reports the symbol as late', async () => {
  let filling = [{ symbol: 'A', fromMs: 0 }];
  let atMs = 0;
  const deps = depsOf({ A: { sourceKind: 'recorded', freshUntilMs: stale, windowEndMs: 600_000 } });
  const readiness = createReadiness({
    ...deps,
    dataHealth: { ...deps.dataHealth, current: () => ({ reachable: true, down: [], filling, imported: [] }) },
    monotonicMs: () => atMs,
  });
  const statusOf = async () => (await readiness()).status;
  expect(await statusOf()).toBe('ready');
  filling = [];
  atMs = 60_000;
  expect(await statusOf()).toBe('ready');
  atMs = 60_001;
  expect(await statusOf()).toBe('not_ready');
});

it('is ready with imported symbols, whether or not one has a packet, and reports them', async () => {
  const packets = {
    A: { sourceKind: 'recorded', freshUntilMs: stale },
    B: undefined,
    C: { sourceKind: 'live', freshUntilMs: fresh },
  } as const;
  expect(await packetsOf(packets, [], [], ['A', 'B'])).toEqual({
    status: 'ready',
    detail: 'Imported, not live: A, B. Every other symbol has a fresh packet.',
  });
  expect(await packetsOf({ A: undefined }, [], [], ['A'])).toMatchObject({ status: 'ready' });
});

it('waits for a fresh packet of a recording whose history is not being filled', async () => {
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
