import { silentLogger } from '@market-state/logging';
import { type PacketMinute, createPacketStatistics } from './packet-statistics';

const T = Date.UTC(2026, 0, 6, 12);
const A = 'BTCUSD-PERP';

/** A counter whose clock is set, and what it has written, the newest of each minute. */
function counting(counted: ReadonlyMap<string, number> = new Map(), startMs = T) {
  const clock = { nowMs: startMs };
  const written = new Map<string, PacketMinute>();
  const store = { isAway: false };
  const figures = createPacketStatistics({
    store: {
      async writePacketMinutes(minutes) {
        if (store.isAway) throw new Error('away');
        for (const minute of minutes) written.set(`${minute.symbol} ${(minute.minuteMs - T) / 60_000}`, minute);
      },
    },
    counted,
    clock: () => clock.nowMs,
    logger: silentLogger(),
  });
  return {
    clock,
    store,
    figures,
    /** A packet of the window that ends so many seconds after T, stored so long after that end; its tick came 2 s after it. */
    store10s(endS: number, afterMs = 2_040, symbol = A) {
      const windowEndMs = T + endS * 1_000;
      clock.nowMs = windowEndMs + afterMs;
      figures.stored([{ symbol, windowEndMs, knownTsMs: windowEndMs + 2_000, generatedTsMs: windowEndMs + 2_030 }]);
    },
    /** In time, remade and measured packets of each minute, by symbol and minute. */
    async minutes() {
      await figures.write();
      return Object.fromEntries(
        [...written].map(([minute, { inTime, remade, closingTickToPacket }]) => [
          minute,
          [inTime, remade, closingTickToPacket.reduce((sum, count) => sum + count, 0)],
        ]),
      );
    },
    since: (minute: string) => written.get(minute)?.sinceMs,
  };
}

test('a window belongs to the minute that it ends with; every minute has figures, packets or not', async () => {
  const { store10s, minutes, clock, figures, since } = counting();
  for (let endS = 10; endS <= 70; endS += 10) store10s(endS);
  clock.nowMs = T + 200_000;
  expect(await minutes()).toEqual({ [`${A} 0`]: [6, 0, 6], [`${A} 1`]: [1, 0, 1], [`${A} 2`]: [0, 0, 0], [`${A} 3`]: [0, 0, 0] });
  expect([since(`${A} 0`), since(`${A} 1`)]).toEqual([T, null]);
  await figures.close();
});

test('a packet stored more than 5 s after its window is late, and is still measured', async () => {
  const { store10s, minutes, figures } = counting();
  store10s(10, 5_000);
  store10s(20, 5_001);
  expect(await minutes()).toEqual({ [`${A} 0`]: [1, 0, 2] });
  await figures.close();
});

test('counting starts with the first timely packet: earlier backfill is not counted, later backfill is counted separately', async () => {
  const { store10s, minutes, figures, since } = counting();
  store10s(-600, 700_000);
  expect(await minutes()).toEqual({});
  store10s(130);
  store10s(-500, 640_000);
  expect(await minutes()).toEqual({ [`${A} 2`]: [1, 1, 1] });
  expect(since(`${A} 2`)).toBe(T + 120_000);
  await figures.close();
});

test('after a restart a symbol is counted immediately; packets of earlier windows count as backfill unless they are timely', async () => {
  const { store10s, minutes, figures, since } = counting(new Map([[A, T - 1e9]]), T + 33_000);
  store10s(20, 14_000);
  store10s(30, 4_500);
  store10s(40);
  expect(await minutes()).toEqual({ [`${A} 0`]: [2, 1, 2] });
  expect(since(`${A} 0`)).toBe(T + 33_000);
  await figures.close();
});

test('minutes that cannot be written wait for an hour; then the next one says since when it counts', async () => {
  const { store10s, minutes, clock, store, figures, since } = counting();
  store.isAway = true;
  store10s(10);
  await expect(figures.write()).rejects.toThrow('away');
  clock.nowMs = T + 30 * 60_000;
  await expect(figures.write()).rejects.toThrow('away');
  clock.nowMs = T + 61 * 60_000 + 1;
  store.isAway = false;
  const written = await minutes();
  expect(Object.keys(written)).toHaveLength(60);
  expect([since(`${A} 1`), since(`${A} 2`), since(`${A} 3`)]).toEqual([undefined, T + 2 * 60_000, null]);
  await figures.close();
});
