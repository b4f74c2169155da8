import document from '../data/plans.json';

/** Kinds of credit; they never mix. */
export type CreditKind = 'market_state' | 'export';

/** How often a plan is billed. */
export type BillingInterval = 'month' | 'year';

/** How much of the service a tenant may use at once. */
export interface PlanLimits {
  /** Weight of its calls in flight (`weightOfCall`). */
  readonly inFlightWeight: number;
  /** Streams open, replays among them. */
  readonly streams: number;
  /** Replays open. */
  readonly replays: number;
  /** Keys that are neither revoked nor expired. */
  readonly activeKeys: number;
  /** Bytes of one export's files. */
  readonly exportBytesMax: number;
  /** Watchlists, alerts among them. */
  readonly watchlists: number;
  readonly webhookEndpoints: number;
  readonly savedSearches: number;
  /** Shares of packets whose time is not over. */
  readonly activeShares: number;
  /** Webhook messages of a day that tell of packets and states; alerts are never held back. */
  readonly messagesPerDay: number;
}

/** What a tenant can have. */
export interface Plan {
  readonly planId: PlanId;
  /** Name of the tier; null if the plan is not sold. */
  readonly tier: string | null;
  /** US cents; null where the price is by contract, or there is none. */
  readonly priceCents: Readonly<Record<BillingInterval, number>> | null;
  /** Credits of a month, or of the full time of a plan that ends; null by contract. */
  readonly credits: Readonly<Record<CreditKind, number>> | null;
  /** Days after which the plan's credits expire and are not granted again; null for plans that renew. */
  readonly days: number | null;
  /** Market-state credits of every call, whatever its family; null if the families' prices apply. */
  readonly flatCost: number | null;
  /** Calls a second, and calls at once. */
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly limits: PlanLimits;
  /** Whether it is bought or agreed by contract. */
  readonly paying: boolean;
}

export type PlanId = keyof typeof document.plans;

/** A plan as data/plans.json holds it. */
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

/** Plans in the order of their tiers, then what is not sold. */
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

/** Ids of the plans that can be bought, in the order of their tiers. */
export const soldPlans: readonly PlanId[] = plans.filter(({ priceCents }) => priceCents !== null).map(({ planId }) => planId);

const TRIAL = plans.find(({ planId }) => planId === 'trial') as Plan;

/** Credits that are bought once and kept until used. */
export const topup: { readonly priceCents: number; readonly credits: Readonly<Record<CreditKind, number>> } = {
  priceCents: document.topup.price_cents,
  credits: document.topup.credits,
};

/** The plan with this id; undefined when there is none. */
export function findPlan(planId: string): Plan | undefined {
  return plans.find((plan) => plan.planId === planId);
}

/** Limits of the plan with this id; those of a trial for a plan unknown to this version. */
export function limitsOf(planId: string): PlanLimits {
  return (findPlan(planId) ?? TRIAL).limits;
}

/** Seconds whose calls a key with a rate of its own may make at once. */
const KEY_BURST_SECONDS = 4;

/** Calls a second, and calls at once, of a key that may make so many a minute: as many at once as four seconds bring, one at least. */
export function rateOfKey(callsPerMinute: number): Plan['rate'] {
  const perSecond = callsPerMinute / 60;
  return { perSecond, burst: Math.max(1, Math.floor(perSecond * KEY_BURST_SECONDS)) };
}

/** The most calls a minute that a key of a tenant on the plan with this id may be given; undefined for a plan unknown to this version. */
export function callsPerMinuteMax(planId: string): number | undefined {
  const plan = findPlan(planId);
  return plan === undefined ? undefined : plan.rate.perSecond * 60;
}

/** Weight in flight of a call that costs at most this many credits. */
export function weightOfCall(estimatedCredits: number): number {
  return 1 + estimatedCredits / 2;
}
