import { PRICE_VERSION, WORKLOAD_FAMILIES, type WorkloadFamily, costOf, plans, priceOf, topup } from '@market-state/pricing';
import { accountAnswer } from '../../serving/answers/account-answer';
import type { Handler } from '../../serving/answers/handler';
import { showLimits } from '../../serving/answers/show-billing';
import type { Described } from '../../serving/openapi/document';

const DAYS_A_MONTH = 30;
const SECONDS_A_DAY = 86_400;

/** Assumed units per call: parameter defaults, or a full page. */
const TYPICAL_UNITS: Partial<Record<WorkloadFamily, number>> = {
  latest_packet: 1,
  packet_replay: 100,
  packet_history: 100,
  market_data_latest: 100,
  market_data_candles: 1_000,
  market_data_replay_window: 5_000,
  export_job: 100_000,
};

interface Workload {
  readonly callsPerDay: ReadonlyMap<WorkloadFamily, number>;
  readonly exportsPerMonth: number;
}

function assumedCost(family: WorkloadFamily): Described<'AssumedCost'> {
  const units = TYPICAL_UNITS[family] ?? 0;
  const { credit, unit } = priceOf(family);
  return {
    workload_family: family,
    credit_kind: credit,
    credits_a_call: costOf(family, units),
    assumed_units: unit === null ? null : units,
    unit,
  };
}

/** For a month of 30 days. */
function monthlyCredits({ callsPerDay, exportsPerMonth }: Workload) {
  const needed = { market_state: 0, export: exportsPerMonth * assumedCost('export_job').credits_a_call };
  for (const [family, calls] of callsPerDay) {
    const { credit_kind: kind, credits_a_call: cost } = assumedCost(family);
    needed[kind] += calls * DAYS_A_MONTH * cost;
  }
  return needed;
}

/** Top-ups cover what a tier does not include. */
function simulate(workload: Workload) {
  const needed = monthlyCredits(workload);
  const calls = [...workload.callsPerDay.values()].reduce((sum, total) => sum + total, 0);
  const averagePerSecond = calls / SECONDS_A_DAY;
  const tiers = plans
    .flatMap((plan) => (plan.tier === null ? [] : [{ ...plan, tier: plan.tier }]))
    .map(({ planId, tier, priceCents, credits, rate, limits }): Described<'TierFit'> => {
      const fitsRate = averagePerSecond <= rate.perSecond;
      const common = {
        plan_id: planId,
        tier,
        rate_per_second: rate.perSecond,
        rate_burst: rate.burst,
        limits: showLimits(limits),
        fits_rate: fitsRate,
      };
      if (credits === null || priceCents === null) {
        return {
          ...common,
          by_contract: true,
          included: null,
          headroom: null,
          topups_needed: null,
          price_cents_month: null,
          price_cents_month_with_topups: null,
          fits: fitsRate,
        };
      }
      const headroom = { market_state: credits.market_state - needed.market_state, export: credits.export - needed.export };
      const topups = Math.max(
        0,
        Math.ceil(-headroom.market_state / topup.credits.market_state),
        Math.ceil(-headroom.export / topup.credits.export),
      );
      const withTopups = priceCents.month + topups * topup.priceCents;
      return {
        ...common,
        by_contract: false,
        included: credits,
        headroom,
        topups_needed: topups,
        price_cents_month: priceCents.month,
        price_cents_month_with_topups: withTopups,
        fits: fitsRate && topups === 0,
      };
    });
  const cheapest = tiers
    .filter(({ fits_rate: fits, price_cents_month_with_topups: price }) => fits && price !== null)
    .sort((a, b) => (a.price_cents_month_with_topups ?? 0) - (b.price_cents_month_with_topups ?? 0))[0];
  return { needed, averagePerSecond, tiers, cheapestPlanId: cheapest?.plan_id ?? null };
}

function isFamily(name: string): name is WorkloadFamily {
  return WORKLOAD_FAMILIES.some((family) => family === name);
}

function readCalls(sent: Readonly<Record<string, unknown>>): Map<WorkloadFamily, number> {
  return new Map(Object.entries(sent).flatMap(([name, calls]) => (isFamily(name) ? [[name, Number(calls)]] : [])));
}

export function simulateTiers(): Handler<'simulateTiers'> {
  return (call) => {
    const callsPerDay = readCalls((call.input.query.calls_per_day ?? {}) as Record<string, unknown>);
    const exportsPerMonth = call.input.query.exports_per_month;
    const { needed, averagePerSecond, tiers, cheapestPlanId } = simulate({ callsPerDay, exportsPerMonth });
    const fields = {
      price_version: PRICE_VERSION,
      days_a_month: 30,
      calls_per_day: Object.fromEntries(callsPerDay),
      exports_per_month: exportsPerMonth,
      assumed_costs: WORKLOAD_FAMILIES.map(assumedCost),
      market_state_credits_a_month: needed.market_state,
      export_credits_a_month: needed.export,
      average_calls_per_second: Math.round(averagePerSecond * 1_000) / 1_000,
      tiers,
      cheapest_plan_id: cheapestPlanId,
    };
    return accountAnswer(call, fields, 'Computed from the price table, with the units per call listed in assumed_costs.');
  };
}
