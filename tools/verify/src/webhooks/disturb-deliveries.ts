import { setTimeout as delay } from 'node:timers/promises';
import type { Stores } from '@market-state/launcher';
import { silentLogger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { createDeliveryNotifier, type MessageDraft, recordMessages } from '@market-state/webhook';
import type { Pool } from 'pg';
import { flushRedis, oneOf, restartPostgres, restartRedis } from '@market-state/testing';
import { pauseUpTo, type SuiteContext } from '../harness';
import { type DeliverySystem, type LiveEndpoint, testUntilLive } from './delivery-system';
import { countClaims } from './judge-deliveries';
import type { Receivers } from './receivers';

const BATCH = 25;
const PAUSE_MS_MAX = 1_500;
const AWAY_MS = 250;
const GONE_EVERY = 5;

export interface DisturbScene {
  readonly stores: Stores;
  readonly pool: Pool;
  readonly receivers: Receivers;
  readonly system: DeliverySystem;
  readonly messages: number;
  readonly kills: number;
  /** Pause between batches of 25 messages: busy workers have more in flight when killed. */
  readonly batchMs: number;
  readonly restartsStores: boolean;
}

/** Messages created, and the possible cost of the kills. */
export interface Reported {
  readonly occasions: readonly { readonly tenantId: string; readonly occasion: string }[];
  readonly underWayAtKills: number;
  readonly gone: readonly LiveEndpoint[];
}

export async function disturbDeliveries(scene: DisturbScene, { random, say }: SuiteContext): Promise<Reported> {
  const { stores, pool, receivers, system, messages, kills } = scene;
  const notifier = createDeliveryNotifier(stores.redisUrl, silentLogger());
  const gone = system.endpoints.filter((_, at) => at % GONE_EVERY === 1);
  const occasions: { tenantId: string; occasion: string }[] = [];
  let underWayAtKills = 0;
  try {
    for (let kill = 1; kill <= kills + 1; kill += 1) {
      const until = Math.floor((messages * kill) / (kills + 1));
      while (occasions.length < until) {
        const drafts = Array.from({ length: Math.min(BATCH, until - occasions.length) }, (_, at) => draftOf(system, occasions.length + at));
        await report(pool, notifier, drafts);
        occasions.push(...drafts);
        await delay(scene.batchMs);
      }
      if (kill === Math.ceil(kills / 4)) for (const { name } of gone) receivers.setDeed(name, 'gone');
      if (kill === Math.ceil(kills / 3)) await rotate(scene, oneOf(system.endpoints, random));
      if (kill > kills) break;
      await pauseUpTo(PAUSE_MS_MAX, random);
      await oneOf(system.workers, random)?.killAndRestart();
      underWayAtKills += await countClaims(pool);
      if (kill === Math.ceil(kills / 2)) await flushRedis(stores.redisUrl);
      if (scene.restartsStores) await restartStores(scene, kill);
      if (kill % 5 === 0 || kill === kills) say(`kill ${kill} of ${kills}; ${occasions.length} messages created`);
    }
    return { occasions, underWayAtKills, gone };
  } finally {
    await notifier.close();
  }
}

/** Resends deliveries that failed ten times. @returns number of endpoints with such deliveries */
export async function recoverExhausted({ pool, system: { calls } }: DisturbScene, sinceMs: number): Promise<number> {
  const { rows } = await pool.query<{ tenantId: string; endpointId: string }>(
    `SELECT DISTINCT tenant_id AS "tenantId", endpoint_id AS "endpointId" FROM delivery WHERE status = 'exhausted'`,
  );
  for (const { tenantId, endpointId } of rows) await calls.recover({ tenantId, endpointId, sinceMs, untilMs: 0 });
  return rows.length;
}

/** Enables endpoints that answered 410 and resends what they missed. @returns descriptions of faults */
export async function recoverGone(
  { receivers, system: { calls } }: DisturbScene,
  gone: readonly LiveEndpoint[],
  sinceMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const endpoint of gone) {
    const { name, tenantId, endpointId } = endpoint;
    receivers.setDeed(name, undefined);
    const before = await calls.getEndpoint({ tenantId, endpointId });
    if (before.endpoint?.disabledReason !== 'gone_410') faults.push(`${name} answered with 410 and is "${before.endpoint?.status}".`);
    await calls.enableEndpoint({ tenantId, endpointId });
    await testUntilLive(calls, endpoint);
    await calls.recover({ tenantId, endpointId, sinceMs, untilMs: 0 });
    await calls.replayMissing({ tenantId, endpointId, sinceMs });
  }
  return faults;
}

function draftOf({ tenantIds }: DeliverySystem, number: number): MessageDraft {
  const tenantId = tenantIds[number % tenantIds.length] ?? '';
  const data = { job_id: `exp_${number}`, status: 'ready' };
  return { tenantId, eventKind: 'export.finished', occasion: `export.finished exp_${number}`, symbol: '', data, meta: {}, credits: 1 };
}

/** Creates messages as the evaluator does, retrying while the database restarts. Idempotent by occasion. */
export async function report(
  pool: Pool,
  notifier: ReturnType<typeof createDeliveryNotifier>,
  drafts: readonly MessageDraft[],
): Promise<void> {
  for (;;) {
    const recorded = await inTransaction(pool, (client) => recordMessages(client, drafts, Date.now())).catch(() => undefined);
    if (recorded !== undefined) return notifier.notify(recorded.wakeUps);
    await delay(AWAY_MS);
  }
}

async function rotate({ receivers, system: { calls } }: DisturbScene, endpoint: LiveEndpoint | undefined): Promise<void> {
  if (endpoint === undefined) return;
  const { tenantId, endpointId, name } = endpoint;
  const { secret } = await calls.rotateSecret({ tenantId, endpointId, graceHours: 24 });
  receivers.addSecret(name, secret);
}

async function restartStores({ stores, kills }: DisturbScene, kill: number): Promise<void> {
  const at = (share: number): boolean => kill === Math.ceil(kills * share);
  if (at(0.2) || at(0.4) || at(0.8)) await restartRedis(stores.redisUrl);
  if (at(0.65)) await restartPostgres(stores);
}
