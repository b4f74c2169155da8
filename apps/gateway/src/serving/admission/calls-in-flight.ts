import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import type { Grant } from '../auth/grant';
import { Problem } from '../errors/problem';

/** What the calls weigh that each tenant has in flight at this gateway. */
export interface CallsInFlight {
  /**
   * Counts a call until the function it gives is called, once its work has ended. Throws 429 `too_many_calls_at_once` when the tenant's
   * calls would weigh more than its plan allows; a call that weighs more than that by itself is let in when the tenant has no other.
   */
  enter(grant: Grant, weight: number): () => void;
}

interface Held {
  calls: number;
  weight: number;
}

export function createCallsInFlight(metrics: Metrics): CallsInFlight {
  const registers = [metrics.registry];
  const total = new Gauge({ name: 'calls_in_flight_weight', help: 'Weight of the calls in flight of all tenants.', registers });
  const refused = new Counter({
    name: 'calls_in_flight_refused_total',
    help: 'Calls refused because their tenant had too much in flight.',
    labelNames: ['plan'],
    registers,
  });
  const byTenant = new Map<string, Held>();

  return {
    enter({ tenantId, plan }, weight) {
      const most = plan.limits.inFlightWeight;
      const held = byTenant.get(tenantId) ?? { calls: 0, weight: 0 };
      if (held.calls > 0 && held.weight + weight > most) {
        refused.inc({ plan: plan.planId });
        const sentence =
          `This call weighs ${weight}, and calls that weigh ${held.weight} are in flight; the plan allows ${most} at ` +
          `once. Nothing was charged.`;
        throw new Problem('too_many_calls_at_once', sentence, {
          headers: { 'Retry-After': '1' },
          members: { weight, weight_in_flight: held.weight, weight_limit: most },
        });
      }
      byTenant.set(tenantId, held);
      held.calls += 1;
      held.weight += weight;
      total.inc(weight);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        held.calls -= 1;
        held.weight -= weight;
        total.dec(weight);
        if (held.calls === 0) byTenant.delete(tenantId);
      };
    },
  };
}
