import document from '../data/plans.json';

/** Never interchangeable. */
export type CreditKind = 'market_state' | 'export';

export type BillingInterval = 'month' | 'year';

export interface PlanLimits {
  /** Total `weightOfCall` of calls in flight. */
  readonly inFlightWeight: number;
  /** Includes replays. */
  readonly streams: number;
  readonly replays: number;
  /** Neither revoked nor expired. */
  readonly activeKeys: number;
  /** All files of one export. */
  readonly exportBytesMax: number;
  /** Including alerts. */
  readonly watchlists: number;
  readonly webhookEndpoints: number;
  readonly savedSearches: number;
  readonly activeShares: number;
  /** Webhook messages about packets and states; alerts are exempt. */
  readonly messagesPerDay: number;
}

export interface Plan {
  readonly planId: PlanId;
  /** Null if the plan is not sold. */
  readonly tier: string | null;
  /** US cents; null if free or priced by contract. */
  readonly priceCents: Readonly<Record<BillingInterval, number>> | null;
  /** Monthly credits, or total credits of a plan that expires; null if set by contract. */
  readonly credits: Readonly<Record<CreditKind, number>> | null;
  /** In days; null for plans that renew. */
  readonly days: number | null;
  /** Market-state credits per call of any family; null if family prices apply. */
  readonly flatCost: number | null;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly limits: PlanLimits;
  readonly paying: boolean;
}

export type PlanId = keyof typeof document.plans;

interface PlanEntry {
  readonly tier: string | null;
  readonly price_cents: Readonly<Record<BillingInterval, number>> | null;
  readonly credits: Readonly<Record<CreditKind, number>> | null;
  readonly days?: number;
  readonly flat_cost?: number;
  readonly rate: { readonly per_second: number; readonly burst: number };
  readonly limits: {
    readonly in_flight_weight: number;
    readonly streams: number;
    readonly replays: number;
    readonly active_keys: number;
    readonly export_bytes_max: number;
    readonly watchlists: number;
    readonly webhook_endpoints: number;
    readonly saved_searches: number;
    readonly active_shares: number;
    readonly messages_per_day: number;
  };
}

const entries: Readonly<Record<string, PlanEntry>> = document.plans;

/** Plans in tier order, followed by those not sold. */
export const plans: readonly Plan[] = Object.entries(entries).map(([planId, plan]) => ({
  planId: planId as PlanId,
  tier: plan.tier,
  priceCents: plan.price_cents,
  credits: plan.credits,
  days: plan.days ?? null,
  flatCost: plan.flat_cost ?? null,
  rate: { perSecond: plan.rate.per_second, burst: plan.rate.burst },
  limits: {
    inFlightWeight: plan.limits.in_flight_weight,
    streams: plan.limits.streams,
    replays: plan.limits.replays,
    activeKeys: plan.limits.active_keys,
    exportBytesMax: plan.limits.export_bytes_max,
    watchlists: plan.limits.watchlists,
    webhookEndpoints: plan.limits.webhook_endpoints,
    savedSearches: plan.limits.saved_searches,
    activeShares: plan.limits.active_shares,
    messagesPerDay: plan.limits.messages_per_day,
  },
  paying: plan.tier !== null,
}));

export const soldPlans: readonly PlanId[] = plans.filter(({ priceCents }) => priceCents !== null).map(({ planId }) => planId);

const TRIAL = plans.find(({ planId }) => planId === 'trial') as Plan;

/** One-time credits that do not expire. */
export const topup: { readonly priceCents: number; readonly credits: Readonly<Record<CreditKind, number>> } = {
  priceCents: document.topup.price_cents,
  credits: document.topup.credits,
};

export function findPlan(planId: string): Plan | undefined {
  return plans.find((plan) => plan.planId === planId);
}

/** Trial limits for an unknown id. */
export function limitsOf(planId: string): PlanLimits {
  return (findPlan(planId) ?? TRIAL).limits;
}

/** Seconds of the key's rate. */
const KEY_BURST_SECONDS = 4;

/** Rate of a key with its own limit. The burst is four seconds' worth of calls, at least one. */
export function rateOfKey(callsPerMinute: number): Plan['rate'] {
  const perSecond = callsPerMinute / 60;
  return { perSecond, burst: Math.max(1, Math.floor(perSecond * KEY_BURST_SECONDS)) };
}

/** Undefined for an unknown id. */
export function callsPerMinuteMax(planId: string): number | undefined {
  const plan = findPlan(planId);
  return plan === undefined ? undefined : plan.rate.perSecond * 60;
}

/** Derived from the maximum cost in credits. */
export function weightOfCall(estimatedCredits: number): number {
  return 1 + estimatedCredits / 2;
}
