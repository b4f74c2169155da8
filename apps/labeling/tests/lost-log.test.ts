import { failedPrecondition } from '@market-state/errors';
import { streamKey } from '@market-state/event-log';
import { loadPolicy } from '@market-state/labeler';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { keepLabeling } from '../src/labeling/label-symbol';
import { createLabelMetrics } from '../src/labeling/label-metrics';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import { noSigner } from '../src/packets/packet-signer';
import { createPostgresCheckpointReader } from '../src/store/postgres-packet-reader';
import { createPostgresLabelStore } from '../src/store/postgres-label-store';
import type { LogClient } from '../src/labeling/recorded-entries';
import { labelPurely, type LabelingBench, startBench } from './labeling-under-test';
import { seededRandom, syntheticLog } from './synthetic-log';

/** Each a loss at another moment. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 3);
const QUARTER_HOUR_MS = 1_700_001_900_000;
const BEFORE_S = 70;
const AFTER_S = 60;

let bench: LabelingBench;
let redis: Redis;

beforeAll(async () => {
  bench = await startBench();
  redis = new Redis(bench.stores.redisUrl);
});

afterAll(async () => {
  redis.disconnect();
  await bench.stop();
});

/** The data plane's stream of recorded entries. */
function streamOf(recorded: () => readonly MarketEvent[]): LogClient {
  return {
    async *streamLogEntries({ afterOrdinal, toOrdinal }) {
      const events = recorded();
      const newest = events.at(-1)?.ordinal ?? 0;
      const end = toOrdinal === 0 ? newest : Math.min(toOrdinal, newest);
      const found = events.filter(({ ordinal }) => ordinal > afterOrdinal && ordinal <= end);
      const before = events.find(({ ordinal }) => ordinal === afterOrdinal);
      const [first] = found;
      const isFollowed =
        first !== undefined && (first.ordinal === afterOrdinal + 1 || (before !== undefined && first.epoch > before.epoch));
      if (isFollowed) yield { entries: found.map((event) => Buffer.from(encodeEvent(event))), contradictingOrdinals: [] };
      if (afterOrdinal < end && !(isFollowed && found.at(-1)?.ordinal === end))
        throw failedPrecondition(before === undefined ? 'log_not_retained' : 'log_incomplete', 'Entries are missing.');
    },
  };
}

/** The log of a second epoch: what a feed writes after it has lost the first. */
function secondEpoch(symbol: string, first: readonly MarketEvent[], seed: number): MarketEvent[] {
  const last = first.at(-1) as MarketEvent;
  const startMs = last.receivedTsMs + 3_000;
  const [connected, ...events] = syntheticLog({ symbol, seconds: AFTER_S, seed: seed + 1_000, startMs }) as [MarketEvent, ...MarketEvent[]];
  const gap: MarketEvent = {
    ...connected,
    kind: 'feed_status',
    venueId: '',
    status: { type: 'gap', gapId: `gap_${symbol}`, channel: undefined, startMs: last.exchangeTsMs, endMs: startMs, reason: 'log_lost' },
  };
  return [gap, connected, ...events].map((event, index) => ({ ...event, epoch: 2, pass: 2, ordinal: last.ordinal + 500 + index }));
}

interface Loss {
  readonly recordedTotal: number;
  readonly labelledTotal: number;
  /** Labelling ends before the loss and begins again after it. */
  readonly restarts?: boolean;
}

/** A symbol whose log is lost after some of its entries were recorded and some labelled. */
async function loseLog(seed: number, { recordedTotal, labelledTotal, restarts = true }: Loss) {
  const symbol = `LOST${seed}R${recordedTotal}L${labelledTotal}USD-PERP`;
  const first = syntheticLog({ symbol, seconds: BEFORE_S, seed, startMs: QUARTER_HOUR_MS - 30_000 });
  const recorded = first.slice(0, recordedTotal);
  const metrics = createLabelMetrics(new Registry());
  const start = () =>
    keepLabeling(
      {
        log: bench.log,
        store: createPostgresLabelStore(bench.pool),
        logEntries: streamOf(() => recorded),
        checkpoints: createPostgresCheckpointReader(bench.pool),
        labeler: createPolicyLabeler(loadPolicy()),
        signer: noSigner,
        clock: () => QUARTER_HOUR_MS,
        onPacket: () => undefined,
        onStored: () => undefined,
        metrics,
        logger: bench.logger,
      },
      symbol,
    );
  const labelledNow = async () => (await metrics.entries.get()).values.find(({ labels }) => labels.symbol === symbol)?.value ?? 0;
  await bench.append(first.slice(0, labelledTotal));
  let labelling = start();
  await waitUntil('the first epoch is labelled', async () => (await labelledNow()) === labelledTotal);
  if (restarts) await labelling.close();
  await redis.del(streamKey(symbol));
  const second = secondEpoch(symbol, first, seed);
  await bench.append(second);
  if (restarts) labelling = start();
  await waitUntil('labelling waits for the recorder', () =>
    bench.lines.some((line) => line.includes(symbol) && line.includes('waits until')),
  );
  recorded.push(...second);
  const made = labelPurely(recorded);
  await waitUntil('the second epoch is labelled', async () => {
    const [newest] = await bench.sql<{ end: number }>('SELECT max(window_end_ms)::float8 AS end FROM packet WHERE symbol = $1', [symbol]);
    return newest?.end === made.at(-1)?.windowEndMs;
  });
  await labelling.close();
  const stored = await bench.sql<{ windowEndMs: number; digest: string; closing: number }>(
    'SELECT window_end_ms::float8 AS "windowEndMs", packet_digest AS digest, closing_ordinal::float8 AS closing FROM packet WHERE symbol = $1 ORDER BY 1',
    [symbol],
  );
  const byWindow = new Map(made.map(({ windowEndMs, packetDigest }) => [windowEndMs, packetDigest]));
  const isRecorded = new Set(recorded.map(({ ordinal }) => ordinal));
  return {
    made,
    stored,
    fromRecorded: stored.filter(({ closing }) => isRecorded.has(closing)),
    different: stored.filter(({ closing, windowEndMs, digest }) => isRecorded.has(closing) && byWindow.get(windowEndMs) !== digest),
    restored: (await metrics.restored.get()).values[0]?.value ?? 0,
    alarms: bench.lines.filter((line) => line.includes(symbol) && line.includes('refused')),
  };
}

const TOTAL = syntheticLog({ symbol: 'X', seconds: BEFORE_S, seed: 0, startMs: 0 }).length;

test.each(Array.from({ length: RUNS }, (_, index) => index + 1))(
  'every packet whose entries are recorded can be recomputed from them, for any position of the lost log (%i)',
  async (seed) => {
    const random = seededRandom(seed);
    const labelledTotal = Math.floor(TOTAL * (0.2 + 0.7 * random()));
    const recordedTotal = Math.max(2, Math.floor(labelledTotal * (0.6 + 0.6 * random())));
    const { different, fromRecorded, alarms } = await loseLog(seed, { labelledTotal, recordedTotal, restarts: seed % 2 === 0 });
    expect(different).toEqual([]);
    expect(fromRecorded.length).toBeGreaterThan(4);
    expect(alarms).toEqual([]);
  },
);

test('labelling that is behind the recorder takes from the recorded entries what the log has lost', async () => {
  const { stored, made, different, restored } = await loseLog(101, { labelledTotal: 100, recordedTotal: 600 });
  expect([different, restored]).toEqual([[], 0]);
  expect(stored.map(({ digest }) => digest)).toEqual(made.map(({ packetDigest }) => packetDigest));
});

test('a state made of entries that were never recorded is made again from the checkpoint before them', async () => {
  const { different, restored, stored, fromRecorded } = await loseLog(102, { labelledTotal: 650, recordedTotal: 480 });
  expect([different, restored]).toEqual([[], 1]);
  expect(stored.length).toBeGreaterThan(fromRecorded.length);
});
