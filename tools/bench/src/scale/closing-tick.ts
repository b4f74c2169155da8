import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { get } from 'node:http';
import { createEventLog, type EventLog } from '@market-state/event-log';
import type { System } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { decodeEvent, WINDOW_MS } from '@market-state/market-data';
import { CLOSING_LAG_MS } from './several-symbols';

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

const AGAIN_MS = 1_000;

/** Like a reader, opens a stream again that was refused or ended. Ends when the signal aborts. */
async function watchPackets(url: string, key: string, symbol: string, onPacket: OnArrival, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await readPackets(url, key, symbol, onPacket, signal).catch(() => undefined);
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Reports when each packet's last byte arrived. @throws Error if the gateway refuses or ends the stream */
async function readPackets(url: string, key: string, symbol: string, onPacket: OnArrival, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = get(
      `${url}/api/public/market-state/stream?symbol=${symbol}`,
      { headers: { 'x-market-state-api-key': key }, signal, agent: false },
      (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          return reject(new Error(`The stream of ${symbol} was refused: ${response.statusCode}.`));
        }
        let waiting = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const atMs = performance.now();
          const messages = (waiting + text).split('\n\n');
          waiting = messages.pop() ?? '';
          for (const message of messages) if (PACKET.test(message)) onPacket(Number(PLACE.exec(message)?.[1]), atMs);
        });
        response.on('end', resolve);
        response.on('error', reject);
      },
    );
    request.on('error', reject);
  });
}

/** A packet is live if its window ended this recently by the local clock: recordings are shifted to it. */
const LIVE_MS = 15_000;
const LAST_PACKETS_MS = 5_000;
export interface Closing<T> {
  readonly delaysMs: readonly number[];
  /** Windows without a packet five seconds after the end. */
  readonly missing: number;
  readonly result: T;
}

/** Missing symbols after this time are measured as late. */
const LIVE_WITHIN_MS = 60_000;

/**
 * Times the closing tick in the event log against its packet in the gateway's stream, once every symbol has a live
 * packet.
 * @param keys their plans must allow as many streams as there are symbols
 * @param during runs while ticks are timed
 */
export async function watchClosing<T>(
  system: System,
  symbols: readonly string[],
  keys: readonly string[],
  during: () => Promise<T>,
): Promise<Closing<T>> {
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
    ...symbols.map((symbol, index) => watchPackets(system.url, keys[index % keys.length] ?? '', symbol, packetOf(symbol), stop.signal)),
  ]);
  try {
    await Promise.race([whenLive, delay(LIVE_WITHIN_MS, undefined, { ref: false }), watching]);
    takesTicks = true;
    const result = await Promise.race([during(), watching.then(() => Promise.reject(new Error('The streams ended.')))]);
    takesTicks = false;
    await delay(LAST_PACKETS_MS);
    return { delaysMs: pairing.delaysMs, missing: pairing.missing.length, result };
  } finally {
    stop.abort();
    await Promise.allSettled([watching, whenLive]);
    await log.close();
  }
}
