import { EventEmitter, once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createEventLog } from '@market-state/event-log';
import { startSystem, type System, takeTemporaryFolder } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { percentile } from '@market-state/testing';
import { type OnArrival, watchClosingTicks, watchPackets } from './arrivals';
import { whenPrimed } from '../when-primed';
import { Pairing } from './pairing';
import { severalSymbols } from './ten-symbols';

/** A packet is live when its window ended so shortly ago by this machine's clock: recordings are re-timed to it. */
const LIVE_MS = 15_000;
const LAST_PACKETS_MS = 5_000;
const GOAL_P99_MS = 50;

/** How much is measured. */
export interface ClosingTickPlan {
  readonly symbolTotal: number;
  readonly durationMs: number;
}

/**
 * From the moment the tick that closes a window is read from the event log to the moment its packet is read from the gateway's stream
 * of packets, both in this process: with every symbol primed with its hour of history, at recorded speed, all windows closing at the
 * same instants.
 */
export async function measureClosingTick({ symbolTotal, durationMs }: ClosingTickPlan, say: (line: string) => void): Promise<void> {
  const { path: folder, remove } = takeTemporaryFolder();
  const { symbols, settings } = severalSymbols(symbolTotal, folder);
  const startedMs = performance.now();
  const system = await startSystem({ dataDir: join(folder, 'data'), settings });
  try {
    await whenPrimed(system);
    say(
      `${symbolTotal} symbols primed in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s; measuring for ` +
        `${(durationMs / 1_000).toFixed(0)} s`,
    );
    const { delaysMs, missing } = await watch(system, symbols, durationMs);
    const figures = [0.5, 0.99, 1].map((share) => `${percentile(delaysMs, share).toFixed(1)} ms`);
    say(
      `closing tick to packet in the gateway: p50 ${figures[0]}, p99 ${figures[1]} (goal ${GOAL_P99_MS} ms), at most ${figures[2]}; ` +
        `${delaysMs.length} windows of ${symbolTotal} symbols`,
    );
    say(
      `windows without a packet ${LAST_PACKETS_MS / 1_000} s after the end: ${missing.length}; load average of the last minute: ` +
        `${loadavg()[0]?.toFixed(1)}`,
    );
  } finally {
    await system.stop();
    remove();
  }
}

async function watch(system: System, symbols: readonly string[], durationMs: number): Promise<Pairing> {
  const key = await system.demoKey();
  const log = createEventLog(system.stores.redisUrl, { logger: silentLogger() });
  const stop = new AbortController();
  const pairing = new Pairing();
  const live = new Set<string>();
  const eachLive = new EventEmitter();
  let takesTicks = false;
  const tickOf =
    (symbol: string): OnArrival =>
    (windowEndMs, atMs) => {
      if (takesTicks) pairing.tick(symbol, windowEndMs, atMs);
    };
  const packetOf =
    (symbol: string): OnArrival =>
    (windowEndMs, atMs) => {
      pairing.packet(symbol, windowEndMs, atMs);
      if (Date.now() - windowEndMs < LIVE_MS && live.add(symbol).size === symbols.length) eachLive.emit('live');
    };
  const whenLive = once(eachLive, 'live', { signal: stop.signal });
  const watching = Promise.all([
    ...symbols.map((symbol) => watchClosingTicks(log, symbol, tickOf(symbol), stop.signal)),
    ...symbols.map((symbol) => watchPackets(system.url, key, symbol, packetOf(symbol), stop.signal)),
  ]);
  try {
    await Promise.race([whenLive, watching]);
    takesTicks = true;
    await Promise.race([delay(durationMs), watching]);
    takesTicks = false;
    await delay(LAST_PACKETS_MS);
  } finally {
    stop.abort();
    await Promise.allSettled([watching, whenLive]);
    await log.close();
  }
  return pairing;
}
