import { PRICE_VERSION, WORKLOAD_FAMILIES, type WorkloadFamily } from '@market-state/pricing';
import { accountAnswer } from '../../serving/answers/account-answer';
import { assumedCost, simulate } from './usage/simulate';
import type { Handler } from '../../serving/answers/handler';

function isFamily(name: string): name is WorkloadFamily {
  return WORKLOAD_FAMILIES.some((family) => family === name);
}

function readCalls(sent: Readonly<Record<string, unknown>>): Map<WorkloadFamily, number> {
  return new Map(Object.entries(sent).flatMap(([name, calls]) => (isFamily(name) ? [[name, Number(calls)]] : [])));
}

/** What a workload would cost on each tier. */
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
    return accountAnswer(call, fields, 'Computed from the price table; calls count with the units that assumed_costs names.');
  };
}
