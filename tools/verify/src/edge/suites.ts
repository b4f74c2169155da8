import type { Suite, SuiteContext } from '../harness';
import { callBeyondLimits, type LimitSettings } from './limit-calls';
import { openMarket, type Market } from './market';
import { callMetered } from './metered-calls';
import { revokeKeys } from './revoke-keys';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, atOnce, ifNoAnswer, openCaller, sumOf } from '@market-state/testing';
import { openEdge } from './edge';
import { CHECKOUT, KEYS } from './routes';

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
