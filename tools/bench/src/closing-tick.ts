import { EventEmitter, once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { get } from 'node:http';
import { createEventLog, type EventLog } from '@market-state/event-log';
import { startSystem, type System, takeTemporaryFolder } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { decodeEvent, WINDOW_MS } from '@market-state/market-data';
import { percentile } from '@market-state/testing';
import { whenPrimed } from './when-primed';
import { severalSymbols, CLOSING_LAG_MS } from './ten-symbols';

/** Pairs ticks and packets by symbol and window end. */
class Pairing {
  readonly delaysMs: number[] = [];
  private readonly ticks = new Map<string, number>();
  private readonly packets = new Map<string, number>();

  tick(symbol: string, windowEndMs: number, atMs: number): void {
    const id = `${symbol} ${windowEndMs}`;
    this.ticks.set(id, atMs);
    this.pair(id);
  }

  packet(symbol: string, windowEndMs: number, atMs: number): void {
    const id = `${symbol} ${windowEndMs}`;
    this.packets.set(id, atMs);
    this.pair(id);
  }

  get missing(): readonly string[] {
    return [...this.ticks.keys()];
  }

  private pair(id: string): void {
    const [tickMs, packetMs] = [this.ticks.get(id), this.packets.get(id)];
    if (tickMs === undefined || packetMs === undefined) return;
    this.delaysMs.push(packetMs - tickMs);
    this.ticks.delete(id);
    this.packets.delete(id);
  }
}

/** Receives a window's end and the local arrival time by `performance.now()`. */
type OnArrival = (windowEndMs: number, atMs: number) => void;

async function watchClosingTicks(log: EventLog, symbol: string, onTick: OnArrival, signal: AbortSignal): Promise<void> {
  const last = await log.lastId(symbol);
  for await (const batch of log.follow(symbol, last ?? { epoch: 0, ordinal: 0 }, signal)) {
    const atMs = performance.now();
    for (const { payload } of batch) {
      const event = decodeEvent(payload);
      const windowEndMs = event.kind === 'tick' ? event.feedClockMs - CLOSING_LAG_MS : NaN;
      if (windowEndMs % WINDOW_MS === 0) onTick(windowEndMs, atMs);
    }
  }
}

const PACKET = /^event: ?packet$/m;
const PLACE = /^id: ?\d+-\d+-(\d+)$/m;

/**
 * Reads a symbol's packet stream and reports when each packet's last byte arrived, until aborted. @throws Error if the
 * gateway refuses or ends the stream
 */
async function watchPackets(url: string, key: string, symbol: string, onPacket: OnArrival, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => (signal.aborted ? resolve() : reject(error));
    const request = get(
      `${url}/api/public/market-state/stream?symbol=${symbol}`,
      { headers: { 'x-market-state-api-key': key }, signal, agent: false },
      (response) => {
        if (response.statusCode !== 200) return failed(new Error(`The stream of ${symbol} was refused: ${response.statusCode}.`));
        let waiting = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const atMs = performance.now();
          const messages = (waiting + text).split('\n\n');
          waiting = messages.pop() ?? '';
          for (const message of messages) if (PACKET.test(message)) onPacket(Number(PLACE.exec(message)?.[1]), atMs);
        });
        response.on('end', () => failed(new Error(`The stream of ${symbol} ended.`)));
        response.on('error', failed);
      },
    );
    request.on('error', failed);
  });
}

/** A packet is live if its window ended this recently by the local clock: recordings are shifted to it. */
const LIVE_MS = 15_000;
const LAST_PACKETS_MS = 5_000;
/** Up to this many symbols on two cores. */
const GOAL = { symbolTotal: 50, p99Ms: 250 };

interface ClosingTickPlan {
  /** Each is measured by a system of its own. */
  readonly symbolTotals: readonly number[];
  readonly durationMs: number;
}

/**
 * Times the closing tick in the event log against its packet in the gateway's stream: primed symbols at recorded speed,
 * all windows closing simultaneously.
 */
export async function measureClosingTick({ symbolTotals, durationMs }: ClosingTickPlan, say: (line: string) => void): Promise<void> {
  for (const symbolTotal of symbolTotals) await measureSymbols(symbolTotal, durationMs, say);
}

async function measureSymbols(symbolTotal: number, durationMs: number, say: (line: string) => void): Promise<void> {
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
      `closing tick to packet in the gateway: p50 ${figures[0]}, p99 ${figures[1]}${symbolTotal > GOAL.symbolTotal ? '' : ` (goal ${GOAL.p99Ms} ms)`}, max ${figures[2]}; ` +
        `${delaysMs.length} windows of ${symbolTotal} symbols`,
    );
    say(
      `windows without a packet ${LAST_PACKETS_MS / 1_000} s after the end: ${missing.length}; load average over the last minute: ` +
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
