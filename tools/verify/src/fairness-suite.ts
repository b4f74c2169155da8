import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { silentLogger } from '@market-state/logging';
import { comesTrue, openPrivateStores, percentile } from '@market-state/testing';
import { createDeliveryNotifier, type MessageDraft } from '@market-state/webhook';
import { formatWebhookSecret, sealSecret, type SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import { openPool, type Suite, type SuiteContext, addLiveEndpoints, type LiveEndpoint } from './harness';
import { type DeliverySystem, openDeliverySystem, WORKERS } from './webhooks/delivery-system';
import { report } from './webhooks/disturb-deliveries';
import { type Deed, openReceivers, type Receivers } from './webhooks/receivers';

async function addEndpoints(owner: Pool, endpoints: readonly LiveEndpoint[], keys: readonly SealingKey[]): Promise<void> {
  await addLiveEndpoints(owner, endpoints, { planId: 'enterprise', kinds: ['export.finished'] });
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const sealed = ids.map((endpointId) => sealSecret(formatWebhookSecret(randomBytes(32)), { keys, endpointId, nonce: randomBytes(12) }));
  await owner.query(
    `INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms)
     SELECT 'whk_' || id, id, sealed, 1 FROM unnest($1::text[], $2::text[]) AS s (id, sealed)`,
    [ids, sealed],
  );
}

/** Milliseconds from a message's commit to its 2xx, for a part of the endpoints and a time span. */
async function deliveredAfterMs(pool: Pool, part: string, sinceMs: number, untilMs: number): Promise<number[]> {
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (attempt.started_ms + attempt.duration_ms - message.created_ms)::float8 AS ms FROM attempt JOIN message USING (message_id)
     WHERE attempt.outcome = 'ok' AND attempt.endpoint_id LIKE $1 AND message.created_ms BETWEEN $2 AND $3`,
    [`${part}%`, sinceMs, untilMs],
  );
  return rows.map(({ ms }) => ms);
}

async function countMissing(pool: Pool, part: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM delivery WHERE endpoint_id LIKE $1 AND status <> 'delivered'`,
    [`${part}%`],
  );
  return rows[0]?.total ?? 0;
}

const AT_ONCE = 500;
const STEP_MS = 100;
const REST_MS_MAX = 300_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BACKLOG_ENDPOINTS = 20;
const SINGLES = 10;

const LONG = { backlog: 100_000, spreadMs: 20 * SECOND_MS, failingSpreadMs: 100 * SECOND_MS, minuteMs: MINUTE_MS };
const SHORT = { backlog: 2_000, spreadMs: SECOND_MS, failingSpreadMs: SECOND_MS, minuteMs: SECOND_MS };
const OUTAGE_PER_S = 100;
const WORKER_PER_S_MIN = 200;

interface Scene {
  readonly pool: Pool;
  readonly owner: Pool;
  readonly notifier: ReturnType<typeof createDeliveryNotifier>;
  readonly receivers: Receivers;
  readonly system: DeliverySystem;
  readonly form: typeof LONG;
  readonly context: SuiteContext;
}

interface Crowd {
  readonly name: string;
  readonly total: number;
  readonly badTotal: number;
  readonly deed: Deed;
}

export const fairnessSuite: Suite = {
  id: 'fairness',
  claim: "receivers that hang or fail, and a tenant with a backlog, do not delay other tenants' messages",
  budget: { default: 10_000, counts: 'endpoints' },
  short: { seed: 1, budget: 100 },
  async run(context) {
    const { closer, budget, isShort } = context;
    const stores = await openPrivateStores(closer, 'account', 'webhook');
    const receivers = await openReceivers(closer, 0, context.random);
    const system = await openDeliverySystem(closer, { stores, receivers, tenants: 0, endpoints: 0, worker: 'webhook-worker' });
    const notifier = createDeliveryNotifier(stores.redisUrl, silentLogger());
    closer.add('notifier', () => notifier.close());
    const pool = openPool(closer, stores.postgresUrl('webhook'));
    const owner = openPool(closer, stores.ownerUrl('webhook'));
    const scene: Scene = { pool, owner, notifier, receivers, system, form: isShort ? SHORT : LONG, context };
    await verifyBacklog(scene);
    await verifyFailing(scene);
    await verifyHanging(scene, Math.ceil(budget / 10));
    await verifyOutage(scene);
    await verifyAllAtOnce(scene);
  },
};

async function verifyBacklog(scene: Scene): Promise<void> {
  const { owner, pool, form, context } = scene;
  context.say(`a tenant with ${form.backlog} deliveries due`);
  await addCrowd(scene, { name: 'single', total: SINGLES, badTotal: 0, deed: 'ok' });
  const backlog = Array.from({ length: BACKLOG_ENDPOINTS }, (_, at) => ({ endpointId: `we_backlog_${at}`, tenantId: 'ten_backlog' }));
  await addEndpoints(
    owner,
    backlog.map((endpoint) => ({ ...endpoint, url: scene.receivers.urlOf(endpoint.endpointId) })),
    scene.system.sealingKeys,
  );
  const drafts = Array.from({ length: form.backlog / BACKLOG_ENDPOINTS }, (_, at) => draftOf('ten_backlog', `backlog ${at}`));
  await sendAll(scene, drafts, 0);
  const sinceMs = Date.now();
  for (let at = 0; at < SINGLES; at += 1) {
    await report(pool, scene.notifier, [draftOf(`ten_single_good_${at}`, `single ${at}`)]);
    await delay(form.spreadMs / SINGLES);
  }
  const times = await timesOf(scene, 'we_single_good', sinceMs);
  await owner.query(`UPDATE endpoint SET status = 'disabled' WHERE endpoint_id LIKE 'we_backlog%'`);
  await comesTrue(async () => (await countDue(pool, 'we_backlog')) === 0, { limitMs: REST_MS_MAX, everyMs: 100 });
  const worst = Math.max(...times);
  context.report.check(times.length === SINGLES, `${times.length} of ${SINGLES} messages arrived during the backlog.`);
  context.report.checkTime(worst <= SECOND_MS, `A message took ${worst} ms during a backlog of ${form.backlog}.`);
  context.report.figure(`single messages while another tenant has ${form.backlog} due`, `${spread(times)} ms`);
}

/** The same load twice: first with healthy endpoints only, then with 30 % failing. */
async function verifyFailing(scene: Scene): Promise<void> {
  const { context, form } = scene;
  const total = context.budget;
  const p99: number[] = [];
  for (const [name, badTotal] of [
    ['healthy', 0],
    ['failing', Math.floor(total * 0.3)],
  ] as const) {
    context.say(`${total} endpoints, ${badTotal} of them failing`);
    const crowd: Crowd = { name, total, badTotal, deed: 'error' };
    await addCrowd(scene, crowd);
    const sinceMs = Date.now();
    await sendAll(scene, messagesFor(crowd, ''), form.failingSpreadMs);
    const times = await timesOf(scene, `we_${name}_good`, sinceMs);
    p99.push(percentile(times, 0.99));
    context.report.figure(
      `${total} endpoints with ${badTotal} failing, one message each in ${form.failingSpreadMs / SECOND_MS} s`,
      `${spread(times)} ms`,
    );
  }
  const [without = 0, withFailing = 0] = p99;
  context.report.checkTime(withFailing <= 1.2 * without + 50, `The p99 of healthy endpoints rose from ${without} to ${withFailing} ms.`);
}

async function verifyHanging(scene: Scene, total: number): Promise<void> {
  const { context, form } = scene;
  context.say(`${total} endpoints, half of them hanging`);
  const crowd: Crowd = { name: 'hanging', total, badTotal: Math.floor(total / 2), deed: 'hang' };
  await addCrowd(scene, crowd);
  const sinceMs = Date.now();
  await sendAll(scene, messagesFor(crowd, ''), form.spreadMs);
  const times = await timesOf(scene, 'we_hanging_good', sinceMs);
  const p95 = percentile(times, 0.95);
  context.report.checkTime(p95 <= 2 * SECOND_MS, `The p95 of healthy endpoints was ${p95} ms.`);
  context.report.figure(`${total} endpoints with half hanging, one message each in ${form.spreadMs / SECOND_MS} s`, `${spread(times)} ms`);
}

/** Half of a set of healthy endpoints starts to hang simultaneously, while messages continue. */
async function verifyOutage(scene: Scene): Promise<void> {
  const { context, form, receivers } = scene;
  const { budget: total } = context;
  context.say(`${total} endpoints, half of them start to hang simultaneously`);
  const crowd: Crowd = { name: 'outage', total, badTotal: Math.floor(total / 2), deed: 'ok' };
  await addCrowd(scene, crowd);
  await sendAll(scene, messagesFor(crowd, 'before '), form.failingSpreadMs);
  await timesOf(scene, 'we_outage', 0);
  for (const endpointId of badOf(crowd)) receivers.setDeed(endpointId, 'hang');
  const ofAMinute = (form.minuteMs / SECOND_MS) * OUTAGE_PER_S;
  const p95: number[] = [];
  for (const minute of ['first ', 'second ']) {
    const sinceMs = Date.now();
    const drafts = messagesFor(crowd, minute).slice(0, ofAMinute);
    await sendAll(scene, drafts, form.minuteMs);
    const times = await timesOf(scene, 'we_outage_good', sinceMs);
    p95.push(percentile(times, 0.95));
    context.report.figure(
      `${total} endpoints, half of them hanging, the ${minute}minute, ${drafts.length} messages`,
      `${spread(times)} ms`,
    );
  }
  const [first = 0, second = 0] = p95;
  context.report.checkTime(first <= 5 * SECOND_MS, `In the first minute of the outage the p95 of healthy endpoints was ${first} ms.`);
  context.report.checkTime(second <= 2 * SECOND_MS, `In its second minute the p95 of healthy endpoints was ${second} ms.`);
}

/** Half of many endpoints hang, and all get their first message simultaneously; later the healthy ones get another. */
async function verifyAllAtOnce(scene: Scene): Promise<void> {
  const { context, form } = scene;
  const { budget: total } = context;
  context.say(`${total} endpoints simultaneously, half of them hanging`);
  const crowd: Crowd = { name: 'instant', total, badTotal: Math.floor(total / 2), deed: 'hang' };
  await addCrowd(scene, crowd);
  const sinceMs = Date.now();
  await sendAll(scene, messagesFor(crowd, 'first '), 0);
  const first = await timesOf(scene, 'we_instant_good', sinceMs);
  await delay(form.minuteMs);
  const secondMs = Date.now();
  await sendAll(scene, messagesFor({ ...crowd, total: Math.ceil(total / 20), badTotal: 0 }, 'second '), form.spreadMs);
  const second = await timesOf(scene, 'we_instant_good', secondMs);
  const [firstP95, secondP95] = [percentile(first, 0.95), percentile(second, 0.95)];
  const paceMs = (total / (WORKERS * WORKER_PER_S_MIN)) * SECOND_MS;
  context.report.checkTime(
    firstP95 <= Math.max(SECOND_MS, paceMs),
    `With simultaneous messages the p95 of healthy endpoints was ${firstP95} ms.`,
  );
  context.report.checkTime(secondP95 <= 2 * SECOND_MS, `A minute later the p95 of healthy endpoints was ${secondP95} ms.`);
  context.report.figure(
    `${total} endpoints simultaneously, half of them hanging`,
    `${spread(first)} ms; a minute later ${spread(second)} ms`,
  );
}

async function addCrowd({ owner, receivers, system }: Scene, { name, total, badTotal, deed }: Crowd): Promise<void> {
  const endpoints = Array.from({ length: total }, (_, at) => {
    const isBad = at >= total - badTotal;
    const id = nameIn(name, isBad, at);
    receivers.setDeed(`we_${id}`, isBad ? deed : 'ok');
    return { endpointId: `we_${id}`, tenantId: `ten_${id}`, url: receivers.urlOf(`we_${id}`) };
  });
  await addEndpoints(owner, endpoints, system.sealingKeys);
}

function nameIn(name: string, isBad: boolean, at: number): string {
  return `${name}_${isBad ? 'bad' : 'good'}_${at}`;
}

function badOf({ name, total, badTotal }: Crowd): string[] {
  return Array.from({ length: badTotal }, (_, at) => `we_${nameIn(name, true, total - badTotal + at)}`);
}

function messagesFor({ name, total, badTotal }: Crowd, occasion: string): MessageDraft[] {
  const good = Array.from({ length: total - badTotal }, (_, at) => `ten_${name}_good_${at}`);
  const bad = Array.from({ length: badTotal }, (_, at) => `ten_${name}_bad_${total - badTotal + at}`);
  const inTurn = good.flatMap((tenantId, at) => [
    tenantId,
    ...bad.slice(Math.floor((at * badTotal) / good.length), Math.floor(((at + 1) * badTotal) / good.length)),
  ]);
  return inTurn.map((tenantId) => draftOf(tenantId, `${occasion}${tenantId}`));
}

function draftOf(tenantId: string, occasion: string): MessageDraft {
  return { tenantId, eventKind: 'export.finished', occasion, symbol: '', data: { job_id: occasion }, meta: {}, credits: 0 };
}

/** Spreads messages evenly over a time; 0 writes them as fast as possible. */
async function sendAll({ pool, notifier }: Scene, drafts: readonly MessageDraft[], spreadMs: number): Promise<void> {
  const size = spreadMs === 0 ? AT_ONCE : Math.max(1, Math.ceil((drafts.length * STEP_MS) / spreadMs));
  const startMs = performance.now();
  for (let at = 0; at < drafts.length; at += size) {
    await report(pool, notifier, drafts.slice(at, at + size));
    if (spreadMs > 0) await delay(Math.max(0, (spreadMs * (at + size)) / drafts.length - (performance.now() - startMs)));
  }
}

/** Waits for all deliveries. @returns milliseconds from commit to 2xx */
async function timesOf({ pool, context: { report } }: Scene, part: string, sinceMs: number): Promise<number[]> {
  const untilMs = Date.now();
  await comesTrue(async () => (await countDue(pool, part)) === 0, { limitMs: REST_MS_MAX, everyMs: 100 });
  const missing = await countMissing(pool, part);
  report.check(missing === 0, `${missing} messages to healthy endpoints (${part}) did not arrive.`);
  const times = await deliveredAfterMs(pool, part, sinceMs, untilMs);
  report.check(times.length > 0, `Nothing was delivered to ${part}.`);
  return times;
}

async function countDue(pool: Pool, part: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM delivery WHERE endpoint_id LIKE $1 AND (due_ms IS NOT NULL OR claimed_by IS NOT NULL)',
    [`${part}%`],
  );
  return rows[0]?.total ?? 0;
}

function spread(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5)}, p95 ${percentile(times, 0.95)}, p99 ${percentile(times, 0.99)}, max ${Math.max(...times)}`;
}
