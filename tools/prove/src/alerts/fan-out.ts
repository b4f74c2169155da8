import type { labeling } from '@market-state/contracts';
import type { Stores } from '@market-state/launcher';
import { delay } from '@market-state/lifecycle';
import type { Pool } from 'pg';
import { type ProofContext, withCloser } from '../harness';
import { addEndpoints, prepareDatabase } from './alert-database';
import { type Evaluators, startEvaluators } from './evaluators';

const POLL_MS = 10;
const WAIT_MS_MAX = 60_000;
/** From the packet to the last endpoint's row, and to the next packet's turn. */
const LAST_ROW_MS_MAX = 5_000;
const NEXT_PACKET_MS_MAX = 10_000;

interface FanOutScene {
  readonly stores: Stores;
  readonly pool: Pool;
  readonly owner: Pool;
  /** Four of one symbol, in their order. */
  readonly packets: readonly labeling.PacketRecord[];
  readonly endpoints: number;
  /** Whether times are held to their bounds: shared machines that run tests are too noisy for it. */
  readonly isTimed: boolean;
}

/**
 * Every packet of a symbol goes to many endpoints, a tenant each. One packet is measured, with the next one coming while its rows are
 * written; at another the evaluator is killed in the middle. Each endpoint has one row of each packet in the end.
 */
export async function proveFanOut(scene: FanOutScene, { report, say, random }: ProofContext): Promise<void> {
  const { stores, pool, owner, packets, endpoints, isTimed } = scene;
  const [first, measured, next, broken] = packets;
  if (first === undefined || measured === undefined || next === undefined || broken === undefined)
    throw new Error('four packets are needed');
  say(`packets to ${endpoints} endpoints`);
  await withCloser(async (closer) => {
    await prepareDatabase(owner, { rules: [], symbols: [] });
    const tenants = Array.from({ length: endpoints }, (_, at) => `ten_${String(at).padStart(6, '0')}`);
    await addEndpoints(owner, tenants, ['packet.created']);
    await owner.query('ANALYZE');
    const evaluators = await startEvaluators(closer, { stores, tenants: [], total: 1, nowMs: broken.windowEndMs + 1_000 });
    await publish(evaluators, first);
    await until('the first packet to be told', async () => (await rowsOf(pool, first)) === endpoints);

    const startMs = await publish(evaluators, measured);
    await until('rows of the packet that is measured', async () => (await rowsOf(pool, measured)) > 0);
    const nextMs = await publish(evaluators, next);
    const looking = until('the next packet to be looked at', async () => (await newestSeen(pool)) >= next.sequence);
    await until('the last row', async () => (await rowsOf(pool, measured)) === endpoints);
    const lastRowMs = Math.round(performance.now() - startMs);
    await looking;
    const nextSeenMs = Math.round(performance.now() - nextMs);
    await until('rows of the next packet', async () => (await rowsOf(pool, next)) === endpoints);

    await publish(evaluators, broken);
    await until('rows of the packet that is broken off', async () => (await rowsOf(pool, broken)) > 0);
    await evaluators.kill(random);
    const atKill = await rowsOf(pool, broken);
    report.check(atKill < endpoints, `The evaluator was killed after the last of ${endpoints} rows.`);
    await until('the rows that the kill left', async () => (await rowsOf(pool, broken)) >= endpoints);
    for (const packet of [first, measured, next, broken]) {
      const { rows, receivers, messages } = await countOf(pool, packet);
      report.check(
        rows === endpoints && receivers === endpoints && messages === endpoints,
        `Packet ${packet.sequence}: ${rows} rows of ${receivers} endpoints and ${messages} messages, of ${endpoints}.`,
      );
    }
    if (isTimed) {
      report.check(lastRowMs <= LAST_ROW_MS_MAX, `The last row came ${lastRowMs} ms after the packet.`);
      report.check(nextSeenMs <= NEXT_PACKET_MS_MAX, `The next packet had its turn after ${nextSeenMs} ms.`);
    }
    report.figure('fan-out', `${endpoints} endpoints: last row after ${lastRowMs} ms, the next packet looked at within ${nextSeenMs} ms`);
    report.figure('fan-out killed', `after ${atKill} rows: ${endpoints} rows of ${endpoints} endpoints in the end`);
    await evaluators.stop();
  });
}

/** @returns when it was published */
async function publish({ published }: Evaluators, packet: labeling.PacketRecord): Promise<number> {
  published.push(packet);
  return performance.now();
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const sinceMs = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - sinceMs > WAIT_MS_MAX) throw new Error(`Waited in vain for ${what}.`);
    await delay(POLL_MS);
  }
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
