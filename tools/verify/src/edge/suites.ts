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

/** Plans that a tenant each has in the suite. */
type LimitedPlan = 'public_builder' | 'public_pro' | 'public_research';

interface LimitSettings {
  readonly plans: readonly LimitedPlan[];
  /** Part of what the plan allows that must be let in at least. */
  readonly shareMin: number;
}

const LIMITING_GATEWAYS = 3;
/** Every caller comes from one address, over as many connections as slow answers need. */
const ONE_ADDRESS = { CONNECTIONS_PER_ADDRESS: '2000' };
/** Calls offered, as a multiple of the limit. */
const OFFERED = 2;
const WARM_MS = 1_000;
const RECEIPT_MS_MAX = 10_000;

/** Calls three gateways at twice the limit of each plan for as many seconds as the budget, and counts what they let in. */
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
  if (rate === undefined) throw new Error(`There is no plan ${planId}.`);
  // Of this try alone: its receipts are counted.
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
  // Where answers are slow, more can be in flight than a tenant may have, whatever its rate.
  const isAtOnce = (answer: Answer): boolean => errorCodeOf(answer) === 'too_many_calls_at_once';
  const untold = refused.filter(
    (answer) =>
      !(Number(answer.headers['retry-after']) >= 1) ||
      (!isAtOnce(answer) && answer.headers['ratelimit-policy'] !== `"plan";q=${rate.perSecond * 60};w=60`),
  );
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  report.check(good.length <= most, `${planId}: ${good.length} calls were let in, of ${Math.floor(most)} at most.`);
  report.checkTime(good.length >= least, `${planId}: only ${good.length} calls were let in, of ${Math.ceil(least)} at least.`);
  report.check(answers.length === offered.length, `${planId}: ${offered.length - answers.length} calls had no answer.`);
  for (const { status, text } of others.slice(0, 3)) report.fail(`${planId}: a call beyond the limit got ${status}: ${text}`);
  report.check(untold.length === 0, `${planId}: ${untold.length} refusals do not tell the limit, or when to come again.`);
  report.check(receipts === good.length, `${planId}: ${good.length} calls were let in, and ${receipts} have receipts.`);
  report.figure(
    `${planId}: calls offered, let in, bounds`,
    `${answers.length}, ${good.length}, ${Math.ceil(least)} to ${Math.floor(most)}`,
  );
  return report;
}

/** A call at each gateway, so that every one knows the key and holds credits; then time for the limit to grow back by these. */
async function warmUp({ gateways }: Edge, { key }: Tenant): Promise<void> {
  for (const { url } of gateways)
    await comesTrue(async () => (await callOnce(`${url}${LATEST}`, { key }))?.status === 200, { limitMs: Infinity, everyMs: WARM_MS });
  await delay(WARM_MS);
}

/** So many calls a second, each at a gateway by chance, each at its time however long the answers take; null where none came. */
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
/** Longer than a try whose end is not known keeps the key. */
const TRIES_MAX = 90;
/** As a refused call is told to wait. */
const RETRY_MS = 1_000;

/** What is made once: by which route, of what, and how many there are of it. */
interface Made {
  readonly what: string;
  readonly path: string;
  readonly body: object;
  /** Counts what the tenant ($1) has of it. */
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
  /** Answers before it: 409, or 5xx from a machine with too much to do; whoever has a key sends the call again. */
  readonly before: readonly Answer[];
  /** Times that no answer came. */
  readonly unanswered: number;
}

/** Sends as many equal calls as the budget with one Idempotency-Key to two gateways at once. */
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
    // The first answer itself may have come too late.
    const isEveryOneHeard = conflicts.length === before.length && tried.every(({ unanswered }) => unanswered === 0);
    const made = rows[0]?.made ?? 0;
    report.check(made === 1, `${posts} equal calls made ${made} of what is one ${what}.`);
    report.check(
      firsts.length === 1 || (firsts.length === 0 && !isEveryOneHeard),
      `${firsts.length} answers to equal calls for one ${what} say that they are the first.`,
    );
    report.check(
      bodies.size === 1 && answers[0]?.status === 200,
      `Equal calls for one ${what} were answered in ${bodies.size} ways: ${[...bodies].slice(0, 3).join(' and ')}`,
    );
    for (const { text } of strange.slice(0, 3))
      report.fail(`A call for one ${what} was refused as in flight otherwise than with Retry-After 1: ${text}`);
    report.figure(`equal calls for one ${what}: at once, made, same answer`, `${posts}, ${made}, ${answers.length}`);
    report.figure(
      `equal calls for one ${what}: tries refused as in flight, 5xx, without an answer`,
      `${conflicts.length}, ${before.length - conflicts.length}, ${sumOf(tried.map(({ unanswered }) => unanswered))}`,
    );
  }
}

const KILLS = 30;
const LIMITS: LimitSettings = { plans: ['public_builder', 'public_pro', 'public_research'], shareMin: 0.99 };
/** What gateways take ahead of the burst and do not use weighs ten times as much as in the long form. */
const SHORT_LIMITS: LimitSettings = { plans: ['public_pro'], shareMin: 0.9 };

export const revocationSuite: Suite = {
  id: 'revocations',
  claim: 'a key that is revoked while two gateways are under load opens neither of them a second later, nor ever again',
  budget: { default: 100, counts: 'revocations' },
  short: { seed: 20_271_122, budget: 6, inTime: true, triesMax: 3 },
  run: async (context) => revokeKeys(context, await openMarket(context.closer)),
};

export const meteringSuite: Suite = {
  id: 'metering',
  claim:
    `${KILLS} kills of gateways and account and 2 % of connections reset leave each answered call charged once at the price it ` +
    `told, but for what a killed gateway may forget`,
  budget: { default: 50_000, counts: 'metered calls over HTTP' },
  short: { seed: 20_271_122, budget: 800 },
  async run(context) {
    const form = context.isShort ? { kills: 3, untilReleased: false } : { kills: KILLS, untilReleased: true };
    await callMetered(context, await openMarket(context.closer), form);
  },
};

export const repeatSuite: Suite = {
  id: 'repeats',
  claim: 'equal calls with one Idempotency-Key, sent to two gateways at once, make one key and one order, and all get the same answer',
  budget: { default: 200, counts: 'equal calls of each kind' },
  short: { seed: 20_271_122, budget: 40 },
  run: async (context) => postEqually(context, await openMarket(context.closer)),
};

export const limitSuite: Suite = {
  id: 'limits',
  claim:
    'three gateways called at twice the limit of a plan let in what the plan allows, hardly less and nothing more, and ' +
    'answer the rest with 429',
  budget: { default: 60, counts: 'seconds of calls of three plans' },
  short: { seed: 20_271_122, budget: 8, inTime: true, triesMax: 3 },
  run: async (context) => callBeyondLimits(context, await openMarket(context.closer), context.isShort ? SHORT_LIMITS : LIMITS),
};
