import { createMetrics } from '@market-state/telemetry';
import { createPacketMetrics } from '../src/caches/latest/latest-source';

const NOW_MS = 1_767_225_650_000;

function metricsAt(newestMs: Readonly<Record<string, number>>, imported: readonly string[] = []) {
  const metrics = createMetrics('gateway');
  const clock = { nowMs: NOW_MS };
  const latestCache = {
    symbols: () => Object.keys(newestMs),
    newestMs: (symbol: string) => newestMs[symbol] ?? 0,
    isImported: (symbol: string) => imported.includes(symbol),
  };
  const counted: [symbol: string, afterMakingMs: number, afterTickMs: number][] = [];
  const figures = { packet: (...packet: [string, number, number]) => void counted.push(packet) };
  const packetMetrics = createPacketMetrics({ metrics, latestCache, figures, now: () => clock.nowMs });
  const read = async (name: string): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) && !line.includes('+Inf'));
  return { packetMetrics, clock, counted, read };
}

it('the age of a symbol is that of its newest window, and from the start for a symbol without a packet', async () => {
  const { clock, read } = metricsAt({ 'BTCUSD-PERP': NOW_MS - 4_000, 'ETHUSD-PERP': 0 });
  clock.nowMs += 31_000;
  expect(await read('packet_age_seconds')).toEqual([
    'packet_age_seconds{symbol="BTCUSD-PERP",service="gateway"} 35',
    'packet_age_seconds{symbol="ETHUSD-PERP",service="gateway"} 31',
  ]);
});

it('an imported symbol has no age', async () => {
  const { read } = metricsAt({ 'BTCUSD-PERP': NOW_MS - 4_000, 'ETHUSD-PERP': 0 }, ['ETHUSD-PERP']);
  expect(await read('packet_age_seconds')).toEqual(['packet_age_seconds{symbol="BTCUSD-PERP",service="gateway"} 4']);
});

it('packets are late by the time since their window was closed; the first after a break, history, and what another process has pushed, are not counted', async () => {
  const { packetMetrics, clock, counted, read } = metricsAt({});
  const push = (symbol: string, lateMs: number, isNewer = true) =>
    packetMetrics.pushed(
      { symbol, windowEndMs: clock.nowMs - lateMs - 2_000, knownTsMs: clock.nowMs - lateMs, generatedTsMs: clock.nowMs - lateMs + 5 },
      isNewer,
    );
  packetMetrics.began(['BTCUSD-PERP', 'ETHUSD-PERP']);
  push('BTCUSD-PERP', 9_000);
  push('BTCUSD-PERP', 12);
  push('ETHUSD-PERP', 8_000);
  push('BTCUSD-PERP', 3_600_000);
  push('BTCUSD-PERP', 80);
  push('BTCUSD-PERP', 90, false);
  packetMetrics.began(['BTCUSD-PERP', 'ETHUSD-PERP']);
  push('BTCUSD-PERP', 7_000);
  expect(await read('packet_close_to_gateway_seconds_count')).toEqual(['packet_close_to_gateway_seconds_count{service="gateway"} 2']);
  expect(await read('packet_close_to_gateway_seconds_sum')).toEqual(['packet_close_to_gateway_seconds_sum{service="gateway"} 0.092']);
  expect(counted).toEqual([
    ['BTCUSD-PERP', 7, 12],
    ['BTCUSD-PERP', 75, 80],
  ]);
});

it('what is caught up with after a start is in no figure, until a packet comes in time', () => {
  const { packetMetrics, clock, counted } = metricsAt({});
  const push = (lateMs: number) =>
    packetMetrics.pushed(
      { symbol: 'BTCUSD-PERP', windowEndMs: clock.nowMs - lateMs, knownTsMs: clock.nowMs - lateMs, generatedTsMs: clock.nowMs - 1 },
      true,
    );
  packetMetrics.began(['BTCUSD-PERP']);
  for (const lateMs of [50_000, 40_000, 5_001, 4_000, 30_000]) push(lateMs);
  expect(counted.map(([, , afterTickMs]) => afterTickMs)).toEqual([4_000, 30_000]);
  packetMetrics.began(['BTCUSD-PERP']);
  for (const lateMs of [20_000, 10_000]) push(lateMs);
  expect(counted).toHaveLength(2);
});
