import type { EventLog, LogEntry } from '@market-state/event-log';
import { loadPolicy } from '@market-state/labeler';
import { Registry } from 'prom-client';
import { createLabelMetrics } from '../src/labeling/label-metrics';
import type { LabelStore } from '../src/labeling/label-store';
import { labelSymbol, type LabelSymbolDeps } from '../src/labeling/label-symbol';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import { noSigner } from '../src/packets/packet-signer';
import { createPostgresCheckpointReader } from '../src/store/postgres-packet-reader';
import { createPostgresLabelStore } from '../src/store/postgres-label-store';
import { noLogClient } from '../src/labeling/recorded-entries';
import { checkpointsPurely, labelPurely, type LabelingBench, startBench } from './labeling-under-test';
import { seededRandom, syntheticLog } from './synthetic-log';

const HOUR_MS = 1_700_002_800_000;

class Killed extends Error {}

/** Real log with randomly cut batches that fails at a random point; aborts after the last entry. */
function brittleLog(log: EventLog, random: () => number, lastOrdinal: number, stop: AbortController): LabelSymbolDeps['log'] {
  return {
    read: (...wanted) => log.read(...wanted),
    setPosition: (...position) => log.setPosition(...position),
    async *follow(symbol, afterId, signal, options): AsyncGenerator<LogEntry[], void, undefined> {
      for await (const batch of log.follow(symbol, afterId, signal, options)) {
        for (let from = 0; from < batch.length; ) {
          const piece = batch.slice(from, from + 1 + Math.floor(random() * 150));
          if (random() < 0.1) throw new Killed();
          yield piece;
          if (piece.at(-1)?.ordinal === lastOrdinal) return stop.abort();
          from += piece.length;
        }
      }
    },
  };
}

/** Real store in which some commits fail before, and some after they are applied. */
function brittleStore(store: LabelStore, random: () => number): LabelStore {
  return {
    ...store,
    async commit(commit) {
      if (random() < 0.1) throw new Killed();
      const result = await store.commit(commit);
      if (random() < 0.1) throw new Killed();
      return result;
    },
  };
}

/** Log read live, or long after. */
const live = () => HOUR_MS;
const history = () => HOUR_MS + 86_400_000;

/** Kills the labeler at random points, on live logs with these seeds and on a past log. */
export function testRestarts(liveSeeds: readonly number[]): void {
  let bench: LabelingBench;
  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(async () => {
    await bench.stop();
  });

  function labeling(overrides: Partial<LabelSymbolDeps>): LabelSymbolDeps {
    return {
      log: bench.log,
      store: createPostgresLabelStore(bench.pool),
      logEntries: noLogClient,
      checkpoints: createPostgresCheckpointReader(bench.pool),
      labeler: createPolicyLabeler(loadPolicy()),
      signer: noSigner,
      clock: live,
      onPacket: () => undefined,
      onStored: () => undefined,
      metrics: createLabelMetrics(new Registry()),
      logger: bench.logger,
      ...overrides,
    };
  }

  test.each([...liveSeeds.map((seed) => ({ seed, of: 'a live log', clock: live })), { seed: 17, of: 'history', clock: history }])(
    'a labeler killed again and again at random points makes the chain and the checkpoint of an unkilled one (seed $seed, of $of)',
    async ({ seed, clock }) => {
      const symbol = `SEED${seed}USD-PERP`;
      const random = seededRandom(seed);
      const events = syntheticLog({ symbol, seconds: 180, seed, stepMs: 1_000, startMs: HOUR_MS - 90_000 });
      await bench.append(events);
      const stop = new AbortController();
      const deps = labeling({
        log: brittleLog(bench.log, random, events.length, stop),
        store: brittleStore(createPostgresLabelStore(bench.pool), random),
        clock,
      });
      let kills = 0;
      for (let ended = false; !ended; ) {
        ended = await labelSymbol(deps, symbol, stop.signal).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof Killed)) throw error;
            kills += 1;
            return stop.signal.aborted;
          },
        );
      }
      expect(kills).toBeGreaterThan(0);
      await expect(bench.storedDigests(symbol)).resolves.toEqual(labelPurely(events).map((packet) => packet.packetDigest));
      const checkpoints = checkpointsPurely(events);
      expect(checkpoints).toHaveLength(1);
      await expect(bench.storedCheckpoints(symbol)).resolves.toEqual(checkpoints);
      const rows = await bench.sql<{ sequence: number }>('SELECT sequence::int FROM packet WHERE symbol = $1 ORDER BY window_end_ms', [
        symbol,
      ]);
      expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, index) => index + 1));
      expect(bench.lines.filter((line) => line.includes('refused') || line.includes('missing'))).toEqual([]);
    },
  );

  test.each([
    { of: 'a live log', clock: live, saved: 1 },
    { of: 'history', clock: history, saved: 0 },
  ])('after six packets of $of in small pieces the state is saved $saved times', async ({ clock, saved }) => {
    const symbol = `SAVED${saved}USD-PERP`;
    const events = syntheticLog({ symbol, seconds: 100, seed: 1, stepMs: 1_000, startMs: HOUR_MS + 100_000 });
    const stop = new AbortController();
    const store = createPostgresLabelStore(bench.pool);
    let saves = 0;
    await bench.append(events);
    const inPieces: LabelSymbolDeps['log'] = {
      ...bench.log,
      async *follow(...from): AsyncGenerator<LogEntry[], void, undefined> {
        for await (const batch of bench.log.follow(...from)) {
          for (let at = 0; at < batch.length; at += 20) yield batch.slice(at, at + 20);
          if (batch.at(-1)?.ordinal === events.length) return stop.abort();
        }
      },
    };
    const deps = labeling({
      log: inPieces,
      store: {
        ...store,
        commit(commit) {
          if (commit.state !== undefined && !stop.signal.aborted) saves += 1;
          return store.commit(commit);
        },
      },
      clock,
    });
    await labelSymbol(deps, symbol, stop.signal);
    expect(saves).toBe(saved);
  });
}
