import type { account } from '@market-state/contracts';
import type { Queryable } from '@market-state/postgres';
import { z } from 'zod';
import { setPlanOfTenant } from '../store/endpoints';

const PLAN_CHANGED = 'plan.changed';
/** A gateway takes up a change of plan within a second: longer than that, an endpoint may still be made under the plan before. */
const YOUNG_MS = 10_000;
const payload = z.object({ plan_id: z.string().min(1) });

/** Puts the endpoints of tenants under the plans that they have changed to, in the order of the changes. */
export async function takePlans(on: Queryable, entries: readonly account.OutboxEntry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind !== PLAN_CHANGED) continue;
    const { plan_id: planId } = payload.parse(JSON.parse(entry.payload.toString()));
    await setPlanOfTenant(on, entry.tenantId, planId);
  }
}

/** Whether a change of plan must be taken again, for endpoints that are made under the plan before. */
export function isPlanYoung({ kind, createdTsMs }: account.OutboxEntry, nowMs: number): boolean {
  return kind === PLAN_CHANGED && nowMs - createdTsMs < YOUNG_MS;
}
