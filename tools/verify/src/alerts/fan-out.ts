import type { labeling } from '@market-state/contracts';
import type { Stores } from '@market-state/launcher';
import { waitUntil, withCloser } from '@market-state/testing';
import type { Pool } from 'pg';
import type { SuiteContext } from '../harness';
import { addEndpoints, prepareDatabase } from './rule-set';
import { type Evaluators, startEvaluators } from './evaluators';

const WAIT_MS_MAX = 60_000;
/** Measured from the packet. */
const LAST_ROW_MS_MAX = 5_000;
const NEXT_PACKET_MS_MAX = 10_000;

interface FanOutScene {
  readonly stores: Stores;
  readonly pool: Pool;
  readonly owner: Pool;
  readonly packets: readonly labeling.PacketRecord[];
  readonly endpoints: number;
  /** Shared test machines are too noisy for time bounds. */
  readonly isTimed: boolean;
}

interface Running {
  readonly evaluators: Evaluators;
  readonly tenants: readonly string[];
}

/**
 * Measures one packet while the next arrives, and kills the evaluator in the middle of another. In the end each
 * endpoint has one row per packet.
 */
export async function verifyFanOut(scene: FanOutScene, context: SuiteContext): Promise<void> {
  const { stores, pool, owner, endpoints } = scene;
  const [first, measured, next, broken] = scene.packets.slice(-4);
  if (first === undefined || measured === undefined || next === undefined || broken === undefined)
    throw new Error('Four packets are required.');
  context.say(`packets to ${endpoints} endpoints`);
  await withCloser(async (closer) => {
    await prepareDatabase(owner, { rules: [], symbols: [] });
    const tenants = Array.from({ length: endpoints }, (_, at) => `ten_${String(at).padStart(6, '0')}`);
    await addEndpoints(owner, tenants, ['packet.created']);
    await owner.query('ANALYZE');
    const evaluators = await startEvaluators(closer, { stores, tenants: [], total: 1, nowMs: broken.windowEndMs + 1_000 });
    evaluators.published.push(first);
    await untilNotified(scene, first);
    await measure(scene, evaluators, [measured, next], context);
    await breakOff(scene, { evaluators, tenants }, broken, context);
    for (const packet of [first, measured, next, broken]) {
      const { rows, receivers, messages } = await countOf(pool, packet);
      context.report.check(
        rows === endpoints && receivers === endpoints && messages === endpoints,
        `Packet ${packet.sequence}: ${rows} rows for ${receivers} endpoints and ${messages} messages, expected ${endpoints} each.`,
      );
    }
  });
}

async function measure(
  scene: FanOutScene,
  { published }: Evaluators,
  [packet, next]: readonly [labeling.PacketRecord, labeling.PacketRecord],
  { report }: SuiteContext,
): Promise<void> {
  const { pool, endpoints, isTimed } = scene;
  const startMs = performance.now();
  published.push(packet);
  await waitUntil('rows of the measured packet', async () => (await rowsOf(pool, packet)) > 0, WAIT_MS_MAX);
  const nextMs = performance.now();
  published.push(next);
  const [lastRowMs, nextSeenMs] = await Promise.all([
    untilNotified(scene, packet).then(() => Math.round(performance.now() - startMs)),
    waitUntil('evaluation of the next packet', async () => (await newestSeen(pool)) >= next.sequence, WAIT_MS_MAX).then(() =>
      Math.round(performance.now() - nextMs),
    ),
  ]);
  await untilNotified(scene, next);
  if (isTimed) {
    report.check(lastRowMs <= LAST_ROW_MS_MAX, `The last row was written ${lastRowMs} ms after the packet.`);
    report.check(nextSeenMs <= NEXT_PACKET_MS_MAX, `The next packet was evaluated after ${nextSeenMs} ms.`);
  }
  report.figure('fan-out', `${endpoints} endpoints: last row after ${lastRowMs} ms, next packet evaluated within ${nextSeenMs} ms`);
}

/** Kills the evaluator halfway through the tenants, while it waits for a tenant's row lock. */
async function breakOff(
  scene: FanOutScene,
  { evaluators, tenants }: Running,
  packet: labeling.PacketRecord,
  { report, random }: SuiteContext,
): Promise<void> {
  const { pool, owner, endpoints } = scene;
  const holder = await owner.connect();
  let atKill: number;
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM message_order WHERE tenant_id = $1 FOR UPDATE', [tenants[Math.floor(endpoints / 2)]]);
    evaluators.published.push(packet);
    await waitUntil('an evaluator that waits for a tenant', () => isWaiting(pool), WAIT_MS_MAX);
    atKill = await rowsOf(pool, packet);
    await evaluators.kill(random);
    await holder.query('ROLLBACK');
  } finally {
    holder.release();
  }
  report.check(atKill > 0 && atKill < endpoints, `The evaluator was killed after ${atKill} of ${endpoints} rows.`);
  await untilNotified(scene, packet);
  report.figure('fan-out killed', `after ${atKill} of ${endpoints} rows, during the transaction of the next`);
}

async function untilNotified({ pool, endpoints }: FanOutScene, packet: labeling.PacketRecord): Promise<void> {
  await waitUntil(`every row of packet ${packet.sequence}`, async () => (await rowsOf(pool, packet)) >= endpoints, WAIT_MS_MAX);
}

/** Uses the evaluator's own role: other roles cannot see its wait events. */
async function isWaiting(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'webhook-evaluator' AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

async function newestSeen(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ sequence: number }>('SELECT max(sequence)::float8 AS sequence FROM packet_cursor');
  return rows[0]?.sequence ?? 0;
}

const rowsOf = async (pool: Pool, packet: labeling.PacketRecord): Promise<number> => (await countOf(pool, packet)).rows;

async function countOf(
  pool: Pool,
  { eventId }: labeling.PacketRecord,
): Promise<{ readonly rows: number; readonly receivers: number; readonly messages: number }> {
  const { rows } = await pool.query<{ rows: number; receivers: number; messages: number }>(
    `SELECT count(*)::int AS rows, count(DISTINCT delivery.endpoint_id)::int AS receivers, count(DISTINCT message_id)::int AS messages
     FROM message JOIN delivery USING (message_id) WHERE message.occasion = 'packet.created ' || $1`,
    [eventId],
  );
  return rows[0] ?? { rows: 0, receivers: 0, messages: 0 };
}
