import { createEventLog } from '@market-state/event-log';
import { loadPolicy } from '@market-state/labeler';
import { silentLogger } from '@market-state/logging';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { startStores } from '@market-state/testing';
import { Registry } from 'prom-client';
import { createLabelMetrics } from '../src/labeling/label-metrics';
import { labelSymbol } from '../src/labeling/label-symbol';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import { noSigner } from '../src/packets/packet-signer';
import { createPostgresCheckpointReader } from '../src/store/postgres-packet-reader';
import { createPostgresLabelStore } from '../src/store/postgres-label-store';
import { noLogClient } from '../src/labeling/recorded-entries';
import { HOUR_MS, recordingEvents } from './recording-events';

/**
 * Latency from appending the tick that closes a window to pushing its stored packet, for two symbols in one process
 * whose windows close together: at whole hours, which have a checkpoint, and around them. Run: node --import
 * @oxc-node/core/register apps/labeling/bench/tick-to-push.ts
 */

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;
const HOURS = 4;
/** Windows this close to an hour are played one tick at a time. */
const AROUND_MS = 60_000;
const BULK = 500;

async function main(): Promise<void> {
  const stores = await startStores({ services: ['labeling'] });
  const logger = silentLogger();
  const pool = createPool({ url: stores.postgresUrl('labeling'), logger, applicationName: 'bench' });
  const log = createEventLog(stores.redisUrl, { logger });
  const stop = new AbortController();
  const arrivals = new Map<string, (windowEndMs: number) => void>();
  const labelling = SYMBOLS.map((symbol) =>
    labelSymbol(
      {
        log,
        store: createPostgresLabelStore(pool),
        logEntries: noLogClient,
        checkpoints: createPostgresCheckpointReader(pool),
        labeler: createPolicyLabeler(loadPolicy()),
        signer: noSigner,
        clock: Date.now,
        onPacket: (packet) => arrivals.get(symbol)?.(packet.windowEndMs),
        onStored: () => undefined,
        metrics: createLabelMetrics(new Registry()),
        logger,
      },
      symbol,
      stop.signal,
    ),
  );

  const append = (events: readonly MarketEvent[]): Promise<unknown> =>
    Promise.all(
      SYMBOLS.map((symbol) =>
        log.append(
          symbol,
          events.map((event) => ({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent({ ...event, symbol }) })),
        ),
      ),
    );
  const atHour: number[] = [];
  const around: number[] = [];
  let waiting: MarketEvent[] = [];
  for (const event of recordingEvents()) {
    waiting.push(event);
    if (event.kind !== 'tick') continue;
    const windowEndMs = event.feedClockMs - 1_000;
    const toHourMs = Math.abs(windowEndMs - Math.round(windowEndMs / HOUR_MS) * HOUR_MS);
    const closes = windowEndMs % 10_000 === 0;
    if (toHourMs > AROUND_MS) {
      if (waiting.length >= BULK) await append(waiting.splice(0));
      if (closes && windowEndMs % 600_000 === 0) {
        await append(waiting.splice(0));
        await caughtUp(pool, event.ordinal);
      }
      continue;
    }
    if (!closes) {
      await append(waiting.splice(0));
      continue;
    }
    await append(waiting.splice(0, waiting.length - 1));
    const startedMs = performance.now();
    const pushed = SYMBOLS.map(
      (symbol) =>
        new Promise<number>((resolve) => {
          arrivals.set(symbol, (arrivedMs) => arrivedMs === windowEndMs && resolve(performance.now() - startedMs));
        }),
    );
    await append(waiting.splice(0));
    (toHourMs === 0 ? atHour : around).push(...(await Promise.all(pushed)));
    waiting = [];
    if (atHour.length === HOURS * SYMBOLS.length) break;
  }
  process.stdout.write(`at an hour: ${summary(atHour)}\nwindows around: ${summary(around)}\n`);
  stop.abort();
  await Promise.all(labelling);
  await log.close();
  await pool.end();
  await stores.stop();
}

/** Resolves once all symbols have caught up: bulk stays bulk, and the rest is live. */
async function caughtUp(pool: ReturnType<typeof createPool>, ordinal: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ behind: number }>('SELECT count(*)::int AS behind FROM symbol_position WHERE ordinal >= $1', [
      ordinal,
    ]);
    if (rows[0]?.behind === SYMBOLS.length) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(1);
  return `${sorted.length} packets, median ${at(0.5)} ms, p90 ${at(0.9)} ms, at most ${at(1)} ms`;
}

void main();
