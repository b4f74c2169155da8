import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { silentLogger } from '@market-state/logging';
import { copyRows, createPool, inTransaction } from '@market-state/postgres';
import { startStores } from '@market-state/testing';
import type { Pool } from 'pg';
import type { EventFilter } from '../src/events/event-index';
import { briefOfBody, type StoredPacket } from '../src/packets/packet';
import { NEW_PACKET_COLUMNS, toNewPacketRow } from '../src/store/packet-row';
import { createPostgresEventIndex } from '../src/store/postgres-event-index';
import { enterEvents } from '../src/store/store-events';
import { recordingEvents } from './recording-events';

/**
 * Cost and plans of the event index: alternating packet transactions and index entries; then, over three symbols and
 * `DAYS` (30) days derived from a recording, the plan and time of each kind of query. Run: node --import
 * @oxc-node/core/register apps/labeling/bench/event-index.ts
 */

const SYMBOL = 'TEMPLATEUSD-PERP';
const SYMBOLS = ['AUSD-PERP', 'BUSD-PERP', 'CUSD-PERP'];
const DAYS = Number(process.env['DAYS'] ?? 30);
const TEMPLATES = 200;
const DAY_MS = 86_400_000;
const FIRST_MS = 1_700_006_400_000;

function templates(): StoredPacket[] {
  const policy = loadPolicy();
  const found: StoredPacket[] = [];
  let state: ReturnType<typeof createState> | undefined;
  for (const event of recordingEvents()) {
    state ??= createState(event.symbol, policy);
    for (const packet of reduce(state, event)) {
      found.push({
        ...packet,
        generatedTsMs: packet.windowEndMs + 1_000,
        sourceLagMs: 0,
        signature: null,
        closing: null,
        knownTsMs: packet.windowEndMs + 1_000,
        sequence: found.length + 1,
      });
    }
    if (found.length >= TEMPLATES) break;
  }
  return found;
}

async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function quantile(values: readonly number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(2);
}

async function costs(pool: Pool, packets: readonly StoredPacket[]): Promise<void> {
  const stored: number[] = [];
  const entered: number[] = [];
  for (const packet of packets) {
    const [packetId, eventId] = [`${SYMBOL}${packet.packetId}`, `${SYMBOL}${packet.eventId}`];
    const own = { ...packet, symbol: SYMBOL, packetId, eventId, brief: briefOfBody(packet.body) };
    stored.push(
      await timedMs(() =>
        inTransaction(pool, (client) => copyRows(client, { table: 'packet', columns: NEW_PACKET_COLUMNS }, [toNewPacketRow(own)])),
      ),
    );
    entered.push(await timedMs(() => enterEvents(pool, [SYMBOL])));
  }
  console.log(
    `one packet, ms: its transaction p50 ${quantile(stored, 0.5)} p99 ${quantile(stored, 0.99)}; its entry afterwards p50 ` +
      `${quantile(entered, 0.5)} p99 ${quantile(entered, 0.99)}`,
  );
}

async function fill(pool: Pool): Promise<void> {
  await pool.query('DROP INDEX event_words_idx');
  await pool.query('CREATE TABLE template AS SELECT row_number() OVER (ORDER BY window_end_ms) - 1 AS place, * FROM event');
  for (const symbol of SYMBOLS) {
    for (let day = 0; day < DAYS; day += 1) {
      await pool.query(
        `INSERT INTO event (symbol, window_end_ms, sequence, event_id, known_ts_ms, state, winner_state, event_class, event_profile,
          severity_class, severity_score, transition_type,
           diagnosis_class, confidence_score, confidence_label, contradiction_score, novelty_score, quality_score, gap_flags,
           state_age_packets, tags, near_threshold, source_kind, words)
         SELECT $1::text, $2::bigint + step * 10000, step + 1, $1::text || ($2::bigint + step * 10000),
           $2::bigint + step * 10000 + 1000, state, winner_state, event_class, event_profile, severity_class, severity_score,
           transition_type,
           diagnosis_class, confidence_score, confidence_label, contradiction_score, novelty_score, quality_score, gap_flags,
           state_age_packets, tags, near_threshold, source_kind, words
         FROM generate_series(0, 8639) AS step JOIN template ON place = (step * 7 + $3) % (SELECT count(*) FROM template)`,
        [symbol, FIRST_MS + day * DAY_MS, day],
      );
    }
  }
  await pool.query(`UPDATE event SET words = words || array_to_tsvector(ARRAY['zebra']) WHERE symbol = $1 AND window_end_ms = $2`, [
    SYMBOLS[0],
    FIRST_MS + 50_000,
  ]);
  await pool.query(`SET maintenance_work_mem = '256MB'`);
  await pool.query('CREATE INDEX event_words_idx ON event USING GIN (words) WITH (fastupdate = off)');
  await pool.query('VACUUM ANALYZE event');
}

const ANY: EventFilter = { symbol: null, fromMs: null, toMs: null, asOfMs: null, words: [], tags: [], values: {} };

async function main(): Promise<void> {
  const stores = await startStores({ services: ['labeling'] });
  const pool = createPool({
    url: stores.ownerUrl('labeling'),
    logger: silentLogger(),
    applicationName: 'bench',
    max: 1,
    statementTimeoutMs: 900_000,
  });
  await costs(pool, templates());
  if (DAYS === 0) return;
  console.log(`filled in ${((await timedMs(() => fill(pool))) / 1_000).toFixed(0)} s`);
  const { rows } = await pool.query<{ rows: string; heap: string; words: string; all: string }>(
    `SELECT (SELECT count(*) FROM event) AS rows, pg_size_pretty(pg_table_size('event')) AS heap,
      pg_size_pretty(pg_relation_size('event_words_idx')) AS words, pg_size_pretty(pg_total_relation_size('event')) AS all`,
  );
  console.log(JSON.stringify(rows[0]));

  const explaining = {
    async query(text: string, values: unknown[]) {
      const { rows: plan } = await pool.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF) ${text}`,
        values,
      );
      const lines = plan.map((row) => row['QUERY PLAN']);
      console.log(
        lines
          .filter((line) => /Scan|Sort Key|Execution|Rows Removed/.test(line))
          .map((line) => `    ${line.trim()}`)
          .join('\n'),
      );
      return { rows: [] };
    },
  } as unknown as Pool;
  const index = createPostgresEventIndex(explaining);
  const middleMs = FIRST_MS + (DAYS / 2) * DAY_MS;
  const questions: readonly (readonly [name: string, ask: () => Promise<unknown>])[] = [
    ['search: newest of every symbol', () => index.list(ANY, 'newest_first', null, 101)],
    ['search: common words', () => index.list({ ...ANY, words: ['ask', 'pressure'] }, 'newest_first', null, 101)],
    ['search: a word of only one packet', () => index.list({ ...ANY, words: ['zebra'] }, 'newest_first', null, 101)],
    ['search: an unknown word', () => index.list({ ...ANY, words: ['unicorn'] }, 'newest_first', null, 101)],
    [
      'search: a state and a tag of one symbol, a page in the middle',
      () =>
        index.list(
          { ...ANY, symbol: SYMBOLS[0] ?? null, values: { state: 'depth_watch' }, tags: ['replay:ready'] },
          'newest_first',
          { symbol: SYMBOLS[0] ?? '', windowEndMs: middleMs },
          101,
        ),
    ],
    ['search: as of the middle', () => index.list({ ...ANY, asOfMs: middleMs, words: ['bid'] }, 'newest_first', null, 101)],
    [
      'history: a day of one symbol',
      () => index.list({ ...ANY, symbol: SYMBOLS[1] ?? null, fromMs: middleMs, toMs: middleMs + DAY_MS }, 'oldest_first', null, 1_001),
    ],
    [
      'stability: a day of one symbol',
      () => index.stability({ symbol: SYMBOLS[1] ?? null, fromMs: middleMs, toMs: middleMs + DAY_MS, asOfMs: null }),
    ],
    [
      'stability: every day of one symbol',
      () => index.stability({ symbol: SYMBOLS[1] ?? null, fromMs: FIRST_MS, toMs: FIRST_MS + DAYS * DAY_MS, asOfMs: null }),
    ],
  ];
  for (const [name, ask] of questions) {
    console.log(name);
    await ask();
  }
  await pool.end();
  await stores.stop();
}

void main();
