import { setTimeout as delay } from 'node:timers/promises';
import { findPlan } from '@market-state/pricing';
import { comesTrue, type Answer, callOnce, type Caller, errorCodeOf, ifNoAnswer, openCaller, type Tenant } from '@market-state/testing';
import { type SuiteContext, type SuiteResult, Report, receiptsOnceThere } from '../harness';
import { type Edge, openEdge } from './edge';
import type { Market } from './market';
import { LATEST } from './routes';

/** Plans that a tenant each has in the suite. */
export type LimitedPlan = 'public_builder' | 'public_pro' | 'public_research';

export interface LimitSettings {
  readonly plans: readonly LimitedPlan[];
  /** Part of what the plan allows that must be let in at least. */
  readonly shareMin: number;
}

const GATEWAYS = 3;
/** Every caller comes from one address, over as many connections as slow answers need. */
const ONE_ADDRESS = { CONNECTIONS_PER_ADDRESS: '2000' };
/** Calls offered, as a multiple of the limit. */
const OFFERED = 2;
const WARM_MS = 1_000;
const RECEIPT_MS_MAX = 10_000;

/** Calls three gateways at twice the limit of each plan for as many seconds as the budget, and counts what they let in. */
export async function callBeyondLimits(context: SuiteContext, market: Market, { plans, shareMin }: LimitSettings): Promise<void> {
  const { closer, report, random } = context;
  const edge = await openEdge(closer, market, { gateways: GATEWAYS, random, settings: ONE_ADDRESS });
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
  const receipts = (await receiptsOnceThere(edge.pool, tenant.tenantId, good.length + GATEWAYS, RECEIPT_MS_MAX)) - GATEWAYS;
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
      calls.push(call(`${gateways[Math.floor(random() * GATEWAYS)]?.url ?? ''}${LATEST}`, { key }).catch(ifNoAnswer));
    await delay(5);
  }
  return Promise.all(calls);
}
