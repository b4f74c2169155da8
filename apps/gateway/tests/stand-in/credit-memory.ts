import { randomUUID } from 'node:crypto';
import { account } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, unavailable } from '@market-state/errors';
import { type Broadcast, createBroadcast } from './broadcast';

const { CreditControl } = account;

const LEASE_MS = 60_000;
const GRACE_MS = 30_000;
const RECALL_MS = 500;
export const DAY_MS = 86_400_000;
/** Credits of a tenant without a grant. */
export const PLENTY = 1_000_000_000;

interface StoredLease {
  readonly leaseId: string;
  readonly tenantId: string;
  /** Set on a lease under a ceiling, with the window it counts against. */
  readonly keyId: string | undefined;
  readonly window: number;
  readonly gatewayId: string;
  readonly amount: number;
  readonly expiresTsMs: number;
  charged: number;
  batches: number;
  over: boolean;
}

interface TenantCredits {
  granted: number;
  spent: number;
  controls: account.SpendControls;
  readonly receipts: account.Receipt[];
}

/** Restores the fields that charges share. */
function wholeCharges({ charges, groups }: account.ChargeBatch): account.Charge[] {
  const grouped = groups.flatMap(({ operationIds, requestIds, servedTsMs, ...shared }) =>
    operationIds.map((operationId, at) => ({
      ...shared,
      operationId,
      requestId: requestIds[at] ?? '',
      servedTsMs: servedTsMs[at] ?? 0,
    })),
  );
  let caller: account.Caller | undefined;
  let priced: account.Priced | undefined;
  const single = charges.map((charge) => {
    caller = charge.caller ?? caller;
    priced = charge.priced ?? priced;
    return { ...charge, caller, priced };
  });
  return [...single, ...grouped.sort((a, b) => a.servedTsMs - b.servedTsMs)];
}

/** Credits, leases, receipts and recalls in memory, following CreditService, with one grant per tenant. */
export function creditMemory(now: () => number) {
  const tenants = new Map<string, TenantCredits>();
  const leases = new Map<string, StoredLease>();
  const recalls = new Map<string, Broadcast<account.WatchRecallsResponse>>();
  /** Keyed by key id. */
  const ceilings = new Map<string, account.CreditCeiling>();
  /** Charges under ceilings, by key and window. */
  const underCeilings = new Map<string, number>();

  function windowOf(keyId: string | undefined): number {
    const ceiling = ceilings.get(keyId ?? '');
    return ceiling === undefined ? 0 : Math.floor(now() / (ceiling.windowSeconds * 1_000));
  }

  /** State of a key's ceiling with every lease returned; undefined without one. */
  function standingOf(keyId: string | undefined): account.CeilingStanding | undefined {
    const ceiling = ceilings.get(keyId ?? '');
    if (ceiling === undefined) return undefined;
    const window = windowOf(keyId);
    const spent = underCeilings.get(`${keyId} ${window}`) ?? 0;
    return { ceiling, spent, available: ceiling.credits - spent, resetsTsMs: (window + 1) * ceiling.windowSeconds * 1_000 };
  }

  function tenantOf(tenantId: string): TenantCredits {
    const known = tenants.get(tenantId);
    if (known !== undefined) return known;
    const made: TenantCredits = { granted: PLENTY, spent: 0, controls: {}, receipts: [] };
    tenants.set(tenantId, made);
    return made;
  }

  function openLeases(tenantId: string): StoredLease[] {
    for (const lease of leases.values()) if (now() >= lease.expiresTsMs + GRACE_MS) lease.over = true;
    return [...leases.values()].filter((lease) => lease.tenantId === tenantId && !lease.over);
  }

  function heldOf(tenantId: string): number {
    return openLeases(tenantId).reduce((sum, { amount, charged }) => sum + amount - charged, 0);
  }

  /** The tightest control, and its remainder once every lease is returned. */
  function spendable(tenantId: string, keyId?: string): { readonly control: account.CreditControl; readonly left: number } {
    const { granted, spent, controls } = tenantOf(tenantId);
    const standing = standingOf(keyId);
    const bounds = [
      ...(standing === undefined ? [] : [{ control: CreditControl.CREDIT_CEILING, left: standing.available }]),
      { control: CreditControl.BALANCE, left: granted - spent },
      { control: CreditControl.DAILY_CREDIT_CAP, left: (controls.dailyCreditCap ?? PLENTY) - spent },
      { control: CreditControl.MONTHLY_CREDIT_CAP, left: (controls.monthlyCreditCap ?? PLENTY) - spent },
    ];
    return bounds.reduce((a, b) => (b.left < a.left ? b : a));
  }

  /** In leases under a key's ceiling, in the current window. */
  function heldUnder(tenantId: string, keyId: string | undefined): number {
    const window = windowOf(keyId);
    return openLeases(tenantId).reduce(
      (sum, one) => (one.keyId === keyId && one.window === window ? sum + one.amount - one.charged : sum),
      0,
    );
  }

  function free(tenantId: string, keyId?: string): { readonly control: account.CreditControl; readonly available: number } {
    const { control, left } = spendable(tenantId);
    const available = Math.max(0, left - heldOf(tenantId));
    const standing = standingOf(keyId);
    const under = Math.max(0, (standing?.available ?? available) - heldUnder(tenantId, keyId));
    return standing !== undefined && under < available
      ? { control: CreditControl.CREDIT_CEILING, available: under }
      : { control, available };
  }

  function resetOf(control: account.CreditControl): number {
    const date = new Date(now());
    if (control === CreditControl.MONTHLY_CREDIT_CAP) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    return control === CreditControl.DAILY_CREDIT_CAP ? (Math.floor(now() / DAY_MS) + 1) * DAY_MS : 0;
  }

  function recallsOf(gatewayId: string): Broadcast<account.WatchRecallsResponse> {
    const channel = recalls.get(gatewayId) ?? createBroadcast<account.WatchRecallsResponse>();
    recalls.set(gatewayId, channel);
    return channel;
  }

  /** Recalls other gateways' leases and waits; false if one did not answer. */
  async function recall(tenantId: string, gatewayId: string): Promise<boolean> {
    const others = openLeases(tenantId).filter((lease) => lease.gatewayId !== gatewayId);
    for (const lease of others) recallsOf(lease.gatewayId).send({ leaseIds: [lease.leaseId] });
    const endMs = performance.now() + RECALL_MS;
    while (others.some(({ over }) => !over) && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 5));
    return others.every(({ over }) => over);
  }

  function writeReceipt(tenantId: string, charge: account.Charge): void {
    const tenant = tenantOf(tenantId);
    const credits = charge.priced?.observedMarketStateCredits ?? 0;
    tenant.spent += credits;
    const { operationId, requestId, caller, priced, status, servedTsMs } = charge;
    tenant.receipts.push({
      receiptId: `rcp_${tenant.receipts.length + 1}`,
      operationId,
      requestId,
      caller,
      planId: 'public_pro',
      priced,
      status,
      servedTsMs,
    });
  }

  function checkCharges(lease: StoredLease, charges: readonly account.Charge[]): void {
    const total = charges.reduce((sum, { priced }) => sum + (priced?.observedMarketStateCredits ?? 0), 0);
    const faults = [
      ...(lease.charged + total > lease.amount ? [{ field: 'charges', message: 'are beyond the lease', type: 'out_of_range' }] : []),
      ...(charges.length === 0 || charges.length > 2_000
        ? [{ field: 'charges', message: 'must be 1 to 2,000', type: 'out_of_range' }]
        : []),
    ];
    if (faults.length > 0) throw invalidArgument(faults);
    lease.charged += total;
    const place = `${lease.keyId} ${lease.window}`;
    if (lease.keyId !== undefined) underCeilings.set(place, (underCeilings.get(place) ?? 0) + total);
  }

  async function take({ tenantId, gatewayId, needed, wanted, keyId }: account.TakeLeaseRequest): Promise<account.TakeLeaseResponse> {
    const ceiling = tenantOf(tenantId).controls.perCallCreditCeiling;
    if (ceiling !== undefined && needed > ceiling)
      return { refusal: { control: CreditControl.PER_CALL_CREDIT_CEILING, available: ceiling, resetsTsMs: 0 } };
    const returned = free(tenantId, keyId).available >= needed || (await recall(tenantId, gatewayId));
    const { control, available } = free(tenantId, keyId);
    if (available < needed) {
      if (!returned) throw unavailable('credits_held', 'Credits are held elsewhere.', { metadata: { retry_after_s: '1' } });
      const ceiling = control === CreditControl.CREDIT_CEILING ? standingOf(keyId) : undefined;
      return { refusal: { control, available, resetsTsMs: ceiling?.resetsTsMs ?? resetOf(control), ceiling } };
    }
    const amount = Math.min(available, Math.max(needed, wanted));
    const resetMs = Math.min(resetOf(CreditControl.DAILY_CREDIT_CAP), standingOf(keyId)?.resetsTsMs ?? Infinity);
    const endsAtReset = resetMs < now() + LEASE_MS;
    const lease: StoredLease = {
      leaseId: `lse_${randomUUID()}`,
      tenantId,
      keyId: ceilings.has(keyId ?? '') ? keyId : undefined,
      window: windowOf(keyId),
      gatewayId,
      amount,
      expiresTsMs: endsAtReset ? resetMs : now() + LEASE_MS,
      charged: 0,
      batches: 0,
      over: false,
    };
    leases.set(lease.leaseId, lease);
    const { leaseId, expiresTsMs } = lease;
    return {
      lease: {
        leaseId,
        amount,
        expiresTsMs,
        lifeMs: expiresTsMs - now(),
        endsAtReset,
        available: available - amount,
        perCallCeiling: tenantOf(tenantId).controls.perCallCreditCeiling,
      },
    };
  }

  function charge(sent: account.ChargeBatch): account.PostedBatch {
    const { leaseId, batch } = sent;
    const lease = leases.get(leaseId);
    if (lease === undefined || (lease.over && batch > lease.batches)) throw failedPrecondition('lease_over', 'The lease is over.');
    if (batch > lease.batches + 1) throw invalidArgument([{ field: 'batch', message: 'is out of turn', type: 'out_of_turn' }]);
    if (batch === lease.batches + 1) {
      const whole = wholeCharges(sent);
      checkCharges(lease, whole);
      for (const each of whole) writeReceipt(lease.tenantId, each);
      lease.batches = batch;
    }
    return { available: free(lease.tenantId, lease.keyId).available, leaseLeft: lease.amount - lease.charged };
  }

  return { tenantOf, openLeases, heldOf, spendable, standingOf, ceilings, recallsOf, recalls, leases, take, charge };
}
