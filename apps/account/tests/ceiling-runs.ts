import type { account } from '@market-state/contracts';
import fc from 'fast-check';
import { ledgerAudit } from '../src/credits/ledger-audit';
import { reservation } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch, postUntilKnown, untilKnown } from './credits-under-test';

const HOUR_MS = 3_600_000;
export const CEILING = 20;
export const WINDOW_MS = 60_000;

type Step =
  | { readonly do: 'take'; readonly needed: number; readonly wanted: number }
  | { readonly do: 'charge' | 'settle'; readonly at: number; readonly credits: number }
  | { readonly do: 'end'; readonly at: number }
  | { readonly do: 'reserve'; readonly credits: number }
  | { readonly do: 'pass'; readonly seconds: number };

interface Held {
  readonly id: string;
  readonly window: number;
  left: number;
  batch: number;
}

export interface Budgeted {
  readonly tenantId: string;
  readonly keyId: string;
}

export function takeUnder(
  call: CreditsUnderTest['client']['call'],
  of: Budgeted,
  needed: number,
  wanted: number,
  gatewayId = 'gw_1',
): Promise<account.TakeLeaseResponse> {
  return call.takeLease({ ...of, gatewayId, needed, wanted: Math.max(1, wanted) });
}

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('take' as const), needed: fc.integer({ min: 0, max: 12 }), wanted: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ do: fc.constant('charge' as const), at: fc.nat(5), credits: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ do: fc.constant('end' as const), at: fc.nat(5) }),
  fc.record({ do: fc.constant('reserve' as const), credits: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constant('settle' as const), at: fc.nat(5), credits: fc.nat(8) }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(20, 40, 60) }),
);

/** Plays steps and tracks, independently of the service, charges and holds per window. */
export async function playSteps(under: CreditsUnderTest, of: Budgeted, steps: readonly Step[], run: number): Promise<void> {
  const { call } = under.client;
  // Far enough from window edges for any sequence of steps.
  let nowMs = NOON_MS + 10_000;
  const leases: Held[] = [];
  const orders: Held[] = [];
  const charged = new Map<number, number>();
  const caller = { ...of, accountId: '' };
  const windowNow = (): number => Math.floor(nowMs / WINDOW_MS);
  const count = (window: number, credits: number): void => void charged.set(window, (charged.get(window) ?? 0) + credits);
  const heldIn = (held: readonly Held[], window: number): number =>
    held.reduce((sum, one) => (one.window === window ? sum + one.left : sum), 0);
  const used = (window: number): number => (charged.get(window) ?? 0) + heldIn(leases, window) + heldIn(orders, window);
  /** Waiting for leases takes half a second each time, because no gateway returns them. */
  const wouldWait = (needed: number): boolean => CEILING - used(windowNow()) < needed && heldIn(leases, windowNow()) > 0;

  async function play(one: Step, index: number): Promise<void> {
    switch (one.do) {
      case 'take': {
        if (wouldWait(one.needed)) return;
        const { lease } = await takeUnder(call, of, one.needed, one.wanted);
        if (lease !== undefined) leases.push({ id: lease.leaseId, window: windowNow(), left: lease.amount, batch: 0 });
        return;
      }
      case 'charge': {
        const lease = leases[one.at];
        if (lease === undefined) return;
        const credits = Math.min(one.credits, lease.left);
        const charge = { ...chargeOf(of.tenantId, credits), caller };
        const posted = await postBatch(call, { leaseId: lease.id, batch: lease.batch + 1, charges: [charge] }).catch((error: unknown) => {
          expect(error).toMatchObject({ reason: 'lease_over' });
          return null;
        });
        if (posted === null) return void leases.splice(one.at, 1);
        lease.batch += 1;
        lease.left -= credits;
        return count(lease.window, credits);
      }
      case 'end': {
        const [lease] = leases.splice(one.at, 1);
        if (lease !== undefined) await call.endLease({ leaseId: lease.id });
        return;
      }
      case 'reserve': {
        if (wouldWait(one.credits)) return;
        const id = `run ${run} ${index}`;
        const order = { ...reservation(of.tenantId, id, 0, one.credits), caller, expiresTsMs: nowMs + HOUR_MS };
        const { reserved } = await call.reserve(order);
        if (reserved) orders.push({ id, window: windowNow(), left: one.credits, batch: 0 });
        return;
      }
      case 'settle': {
        const [order] = orders.splice(one.at, 1);
        if (order === undefined) return;
        const observedExportCredits = Math.min(one.credits, order.left);
        await call.settle({ operationId: order.id, observedMarketStateCredits: 0, observedExportCredits, artifactIds: [] });
        return count(order.window, observedExportCredits);
      }
      case 'pass':
        nowMs += one.seconds * 1_000;
    }
  }

  for (const [index, one] of steps.entries()) {
    under.setNow(nowMs);
    await play(one, index);
    expect(used(windowNow())).toBeLessThanOrEqual(CEILING);
    under.setNow(nowMs);
    const spent = charged.get(windowNow()) ?? 0;
    expect((await call.getBalances(of)).ceiling).toMatchObject({ spent, available: CEILING - spent - heldIn(orders, windowNow()) });
  }
  for (const { id } of orders) await call.release({ operationId: id });
  expect((await ledgerAudit(under.pool, under.now(), of.tenantId)).faults).toEqual([]);
}

/** One call: takes a lease, charges it whole and ends it. Returns its credits, or 0 if the lease was refused. */
async function servedBy(call: CreditsUnderTest['client']['call'], of: Budgeted, index: number): Promise<number> {
  const order = { ...of, gatewayId: `gw_${index % 4}`, needed: 1 + (index % 3), wanted: 1 + (index % 3) };
  const { lease } = await call.takeLease(order, { deadlineMs: 20_000 }).catch(() => ({ lease: undefined }));
  if (lease === undefined) return 0;
  const charge = { ...chargeOf(of.tenantId, lease.amount), caller: { ...of, accountId: '' } };
  await postUntilKnown(call, { leaseId: lease.leaseId, batch: 1, charges: [charge] });
  await untilKnown(() => call.endLease({ leaseId: lease.leaseId }, { deadlineMs: 20_000 }));
  return lease.amount;
}

/** Concurrent calls of four gateways over the given clients. @returns credits charged */
export async function chargedAtOnce(calls: readonly CreditsUnderTest['client']['call'][], of: Budgeted, total: number): Promise<number> {
  const turns = Array.from({ length: Math.ceil(total / calls.length) }, () => calls).flat();
  const served = await Promise.all(turns.map((call, index) => servedBy(call, of, index)));
  return served.reduce((sum, credits) => sum + credits, 0);
}
