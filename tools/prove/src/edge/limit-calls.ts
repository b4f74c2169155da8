import { setTimeout as delay } from 'node:timers/promises';
import { findPlan } from '@market-state/pricing';
import type { ProofResult } from '../proof';
import { type Answer, createCaller, ifNoAnswer } from './caller';
import { type Edge, openEdge } from './edge';
import type { Market } from './market';
import type { EdgeTenant } from './office';
import { LATEST } from './routes';

/** Plans that a tenant each has in the proof. */
export type LimitedPlan = 'public_builder' | 'public_pro' | 'public_research';

export interface LimitSettings {
  readonly plans: readonly LimitedPlan[];
  readonly seconds: number;
  /** Part of what the plan allows that must be let in at least. */
  readonly shareMin: number;
  readonly random: () => number;
}

const GATEWAYS = 3;
/** Every caller comes from one address, over as many connections as slow answers need. */
const ONE_ADDRESS = { CONNECTIONS_PER_ADDRESS: '2000' };
/** Calls offered, as a multiple of the limit. */
const OFFERED = 2;
const WARM_MS = 1_000;
const RECEIPT_MS_MAX = 10_000;

/** Calls three gateways at twice the limit of each plan, and counts what they let in. */
export async function callBeyondLimits(market: Market, { plans, ...load }: LimitSettings): Promise<ProofResult> {
  const edge = await openEdge(market, { gateways: GATEWAYS, random: load.random, settings: ONE_ADDRESS });
  try {
    await edge.ready();
    const results = await Promise.all(plans.map((planId) => callPlan(edge, planId, load)));
    return { failures: results.flatMap(({ failures }) => failures), timing: [], figures: results.flatMap(({ figures }) => figures) };
  } finally {
    await edge.close();
  }
}

async function callPlan(
  edge: Edge,
  planId: LimitedPlan,
  { seconds, shareMin, random }: Omit<LimitSettings, 'plans'>,
): Promise<ProofResult> {
  const rate = findPlan(planId)?.rate;
  if (rate === undefined) throw new Error(`There is no plan ${planId}.`);
  const tenant = await edge.office.tenant(`limits ${planId}`, planId);
  await warmUp(edge, tenant);
  const offered = await offer(edge, tenant, rate.perSecond * OFFERED, seconds, random);
  const answers = offered.filter((answer) => answer !== null);
  const good = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const firstMs = Math.min(...answers.map(({ sentMs }) => sentMs));
  const most = rate.burst + (rate.perSecond * (Math.max(...good.map(({ endMs }) => endMs)) - firstMs)) / 1_000 + 1;
  const least = shareMin * (rate.burst + (rate.perSecond * (Math.max(...answers.map(({ sentMs }) => sentMs)) - firstMs)) / 1_000);
  const receipts = (await receiptsOf(edge, tenant.tenantId, good.length + GATEWAYS)) - GATEWAYS;
  // Where answers are slow, more can be in flight than a tenant may have, whatever its rate.
  const isAtOnce = ({ text }: Answer): boolean => text.includes('"too_many_calls_at_once"');
  const untold = refused.filter(
    (answer) =>
      !(Number(answer.headers['retry-after']) >= 1) ||
      (!isAtOnce(answer) && answer.headers['ratelimit-policy'] !== `"plan";q=${rate.perSecond * 60};w=60`),
  );
  const others = answers.filter(({ status }) => status !== 200 && status !== 429);
  return {
    failures: [
      ...(good.length <= most ? [] : [`${planId}: ${good.length} calls were let in, of ${Math.floor(most)} at most.`]),
      ...(good.length >= least ? [] : [`${planId}: only ${good.length} calls were let in, of ${Math.ceil(least)} at least.`]),
      ...(answers.length === offered.length ? [] : [`${planId}: ${offered.length - answers.length} calls had no answer.`]),
      ...others.slice(0, 3).map(({ status, text }) => `${planId}: a call beyond the limit got ${status}: ${text}`),
      ...(untold.length === 0 ? [] : [`${planId}: ${untold.length} refusals do not tell the limit, or when to come again.`]),
      ...(receipts === good.length ? [] : [`${planId}: ${good.length} calls were let in, and ${receipts} have receipts.`]),
    ],
    timing: [],
    figures: [
      [`${planId}: calls offered, let in, bounds`, `${answers.length}, ${good.length}, ${Math.ceil(least)} to ${Math.floor(most)}`],
    ],
  };
}

/** A call at each gateway, so that every one knows the key and holds credits; then time for the limit to grow back by these. */
async function warmUp({ gateways }: Edge, { key }: EdgeTenant): Promise<void> {
  const caller = createCaller(1);
  for (const { url } of gateways)
    while ((await caller.call(`${url}${LATEST}`, { key }).catch(ifNoAnswer))?.status !== 200) await delay(WARM_MS);
  caller.close();
  await delay(WARM_MS);
}

/** So many calls a second, each at a gateway by chance, each at its time however long the answers take; null where none came. */
async function offer(
  { gateways }: Edge,
  { key }: EdgeTenant,
  perSecond: number,
  seconds: number,
  random: () => number,
): Promise<(Answer | null)[]> {
  const caller = createCaller(perSecond);
  const calls: Promise<Answer | null>[] = [];
  const startMs = performance.now();
  try {
    while (calls.length < perSecond * seconds) {
      const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startMs) / 1_000) * perSecond) + 1);
      while (calls.length < due)
        calls.push(caller.call(`${gateways[Math.floor(random() * GATEWAYS)]?.url ?? ''}${LATEST}`, { key }).catch(ifNoAnswer));
      await delay(5);
    }
    return await Promise.all(calls);
  } finally {
    caller.close();
  }
}

/** Receipts of the tenant, once there are as many as are wanted; a 429 has none. */
async function receiptsOf({ pool }: Edge, tenantId: string, wanted: number): Promise<number> {
  for (const untilMs = Date.now() + RECEIPT_MS_MAX; ; await delay(200)) {
    const { rows } = await pool.query<{ total: number }>('SELECT count(*)::int AS total FROM receipt WHERE tenant_id = $1', [tenantId]);
    const total = rows[0]?.total ?? 0;
    if (total >= wanted || Date.now() > untilMs) return total;
  }
}
