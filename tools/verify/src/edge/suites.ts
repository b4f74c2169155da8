import { setTimeout as delay } from 'node:timers/promises';
import { findPlan } from '@market-state/pricing';
import {
  type Answer,
  atOnce,
  ifNoAnswer,
  openCaller,
  sumOf,
  comesTrue,
  callOnce,
  type Caller,
  errorCodeOf,
  type Tenant,
} from '@market-state/testing';
import { type Suite, type SuiteContext, type SuiteResult, Report, receiptsOnceThere } from '../harness';
import { openMarket, type Market, CHECKOUT, KEYS, LATEST, openEdge, type Edge } from './edge';
import { callMetered } from './metered-calls';
import { revokeKeys } from './revoke-keys';

type LimitedPlan = 'public_builder' | 'public_pro' | 'public_research';

interface LimitSettings {
  readonly plans: readonly LimitedPlan[];
  readonly shareMin: number;
}

const LIMITING_GATEWAYS = 3;
/** All calls come from one address, over as many connections as slow answers need. */
const ONE_ADDRESS = { CONNECTIONS_PER_ADDRESS: '2000' };
const OFFERED = 2;
const WARM_MS = 1_000;
const RECEIPT_MS_MAX = 10_000;

async function callBeyondLimits(context: SuiteContext, market: Market, { plans, shareMin }: LimitSettings): Promise<void> {
  const { closer, report, random } = context;
  const edge = await openEdge(closer, market, { gateways: LIMITING_GATEWAYS, random, settings: ONE_ADDRESS });
  await edge.ready();
  const found = await Promise.all(plans.map((planId) => callPlan(context, edge, planId, shareMin)));
  for (const each of found) report.add(each);
}

async function callPlan(
  { closer, random, budget: seconds }: SuiteContext,
  edge: Edge,
  planId: LimitedPlan,
  shareMin: number,
): Promise<SuiteResult> {
  const report = new Report();
  const rate = findPlan(planId)?.rate;
  if (rate === undefined) throw new Error(`Unknown plan ${planId}.`);
  // New for each try, because its receipts are counted.
  const tenant = await edge.tenants.create({ name: `limits ${planId} ${random()}`, planId });
  await warmUp(edge, tenant);
  const offered = await offer(openCaller(closer, rate.perSecond * OFFERED), edge, tenant, {
    perSecond: rate.perSecond * OFFERED,
    seconds,
    random,
  });
  const answers = offered.filter((answer) => answer !== null);
  const good = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const firstMs = Math.min(...answers.map(({ sentMs }) => sentMs));
  const most = rate.burst + (rate.perSecond * (Math.max(...good.map(({ endMs }) => endMs)) - firstMs)) / 1_000 + 1;
  const least = shareMin * (rate.burst + (rate.perSecond * (Math.max(...answers.map(({ sentMs }) => sentMs)) - firstMs)) / 1_000);
  const receipts =
    (await receiptsOnceThere(edge.pool, tenant.tenantId, good.length + LIMITING_GATEWAYS, RECEIPT_MS_MAX)) - LIMITING_GATEWAYS;
  // With slow answers the concurrency limit may apply before the rate limit.
  const isAtOnce = (answer: Answer): boolean => errorCodeOf(answer) === 'too_many_calls_at_once';
  const unreported = refused.filter(
    (answer) =>
      !(Number(answer.headers['retry-after']) >= 1) ||
      (!isAtOnce(answer) && answer.headers['ratelimit-policy'] !== `"plan";q=${rate.perSecond * 60};w=60`),
  );
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  report.check(good.length <= most, `${planId}: ${good.length} calls were accepted; the maximum is ${Math.floor(most)}.`);
  report.checkTime(good.length >= least, `${planId}: only ${good.length} calls were accepted; the minimum is ${Math.ceil(least)}.`);
  report.check(answers.length === offered.length, `${planId}: ${offered.length - answers.length} calls had no answer.`);
  for (const { status, text } of others.slice(0, 3)) report.fail(`${planId}: a call beyond the limit got ${status}: ${text}`);
  report.check(unreported.length === 0, `${planId}: ${unreported.length} refusals lack the limit or the time to retry.`);
  report.check(receipts === good.length, `${planId}: ${good.length} calls were accepted, but ${receipts} have receipts.`);
  report.figure(
    `${planId}: calls offered, accepted, bounds`,
    `${answers.length}, ${good.length}, ${Math.ceil(least)} to ${Math.floor(most)}`,
  );
  return report;
}

/** Calls each gateway once so that it knows the key and holds credits, then waits until the limit has refilled. */
async function warmUp({ gateways }: Edge, { key }: Tenant): Promise<void> {
  for (const { url } of gateways)
    await comesTrue(async () => (await callOnce(`${url}${LATEST}`, { key }))?.status === 200, { limitMs: Infinity, everyMs: WARM_MS });
  await delay(WARM_MS);
}

/** Calls random gateways at a constant rate regardless of response times; null without an answer. */
async function offer(
  call: Caller,
  { gateways }: Edge,
  { key }: Tenant,
  { perSecond, seconds, random }: { readonly perSecond: number; readonly seconds: number; readonly random: () => number },
): Promise<(Answer | null)[]> {
  const calls: Promise<Answer | null>[] = [];
  const startMs = performance.now();
  while (calls.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startMs) / 1_000) * perSecond) + 1);
    while (calls.length < due)
      calls.push(call(`${gateways[Math.floor(random() * LIMITING_GATEWAYS)]?.url ?? ''}${LATEST}`, { key }).catch(ifNoAnswer));
    await delay(5);
  }
  return Promise.all(calls);
}

const GATEWAYS = 2;
/** Longer than an unfinished call blocks its key. */
const TRIES_MAX = 90;
/** Retry-After of a refused call. */
const RETRY_MS = 1_000;

interface Made {
  readonly what: string;
  readonly path: string;
  readonly body: object;
  readonly count: string;
}

const MADE: readonly Made[] = [
  {
    what: 'key',
    path: KEYS,
    body: { name: 'made once', scopes: ['read'] },
    count: `SELECT count(*)::int AS made FROM api_key WHERE tenant_id = $1 AND name = 'made once'`,
  },
  {
    what: 'order',
    path: CHECKOUT,
    body: { plan_id: 'topup', contact_reference: 'made once' },
    count: 'SELECT count(*)::int AS made FROM billing_order WHERE tenant_id = $1',
  },
];

interface Tried {
  readonly answer: Answer;
  /** Earlier answers: 409, or 5xx from an overloaded machine; the client retries. */
  readonly before: readonly Answer[];
  readonly unanswered: number;
}

async function postEqually({ closer, report, random, budget: posts }: SuiteContext, market: Market): Promise<void> {
  const { gateways, tenants, pool, ready } = await openEdge(closer, market, { gateways: GATEWAYS, random });
  const call = openCaller(closer, posts);
  await ready();
  const { tenantId, key } = await tenants.create({ name: 'posts once', planId: 'enterprise', marketStateCredits: 1_000 });

  async function post({ what, path, body }: Made, at: number): Promise<Tried> {
    const before: Answer[] = [];
    for (let tries = 1; ; tries += 1) {
      const url = `${gateways[at % GATEWAYS]?.url ?? ''}${path}`;
      const answer = await call(url, { key, method: 'POST', body, headers: { 'idempotency-key': `one-${what}` } }).catch(ifNoAnswer);
      if (answer !== null && ((answer.status !== 409 && answer.status < 500) || tries === TRIES_MAX))
        return { answer, before, unanswered: tries - 1 - before.length };
      if (answer !== null) before.push(answer);
      await delay(RETRY_MS);
    }
  }

  for (const each of MADE) {
    const { what, count } = each;
    const tried = await atOnce(posts, (at) => post(each, at));
    const { rows } = await pool.query<{ made: number }>(count, [tenantId]);
    const answers = tried.map(({ answer }) => answer);
    const firsts = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
    const bodies = new Set(answers.map(({ status, text }) => `${status} ${text}`));
    const before = tried.flatMap((one) => one.before);
    const conflicts = before.filter(({ status }) => status === 409);
    const strange = conflicts.filter(({ headers, text }) => headers['retry-after'] !== '1' || !text.includes('"idempotency_in_flight"'));
    // The first answer itself may be among the late ones.
    const isEveryOneHeard = conflicts.length === before.length && tried.every(({ unanswered }) => unanswered === 0);
    const made = rows[0]?.made ?? 0;
    report.check(made === 1, `${posts} equal calls made ${made} ${what} instead of one.`);
    report.check(
      firsts.length === 1 || (firsts.length === 0 && !isEveryOneHeard),
      `${firsts.length} answers to equal calls for one ${what} claim to be the first.`,
    );
    report.check(
      bodies.size === 1 && answers[0]?.status === 200,
      `Equal calls for one ${what} got ${bodies.size} different answers: ${[...bodies].slice(0, 3).join(' and ')}`,
    );
    for (const { text } of strange.slice(0, 3))
      report.fail(`A call for one ${what} was refused as in flight without Retry-After 1: ${text}`);
    report.figure(`equal calls for one ${what}: concurrent, created, same answer`, `${posts}, ${made}, ${answers.length}`);
    report.figure(
      `equal calls for one ${what}: tries refused as in flight, 5xx, unanswered`,
      `${conflicts.length}, ${before.length - conflicts.length}, ${sumOf(tried.map(({ unanswered }) => unanswered))}`,
    );
  }
}

const KILLS = 30;
const LIMITS: LimitSettings = { plans: ['public_builder', 'public_pro', 'public_research'], shareMin: 0.99 };
/** Credits and rate that gateways reserve but do not use weigh ten times as much as in the long form. */
const SHORT_LIMITS: LimitSettings = { plans: ['public_pro'], shareMin: 0.9 };

export const revocationSuite: Suite = {
  id: 'revocations',
  claim: 'a key revoked while two gateways are under load is rejected by both within a second, permanently',
  budget: { default: 100, counts: 'revocations' },
  short: { seed: 20_271_122, budget: 6, inTime: true, triesMax: 3 },
  run: async (context) => revokeKeys(context, await openMarket(context.closer)),
};

export const meteringSuite: Suite = {
  id: 'metering',
  claim:
    `${KILLS} kills of gateways and account and 2 % of connections reset leave each answered call charged once at its stated ` +
    `price, except for what a killed gateway may lose`,
  budget: { default: 50_000, counts: 'metered calls over HTTP' },
  short: { seed: 20_271_122, budget: 800 },
  async run(context) {
    const form = context.isShort ? { kills: 3, untilReleased: false } : { kills: KILLS, untilReleased: true };
    await callMetered(context, await openMarket(context.closer), form);
  },
};

export const repeatSuite: Suite = {
  id: 'repeats',
  claim:
    'equal calls with one Idempotency-Key, sent to two gateways concurrently, create one key and one order, and all get the same answer',
  budget: { default: 200, counts: 'equal calls of each kind' },
  short: { seed: 20_271_122, budget: 40 },
  run: async (context) => postEqually(context, await openMarket(context.closer)),
};

export const limitSuite: Suite = {
  id: 'limits',
  claim:
    "three gateways called at twice a plan's limit accept at most what the plan allows and hardly less, and " + 'answer the rest with 429',
  budget: { default: 60, counts: 'seconds of calls of three plans' },
  short: { seed: 20_271_122, budget: 8, inTime: true, triesMax: 3 },
  run: async (context) => callBeyondLimits(context, await openMarket(context.closer), context.isShort ? SHORT_LIMITS : LIMITS),
};
