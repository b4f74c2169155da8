import { randomUUID } from 'node:crypto';
import { account } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, unavailable } from '@market-state/errors';
import { bindService, toPartialFailure } from '@market-state/grpc';
import { type Broadcast, createBroadcast } from './broadcast';

const { CreditControl, CreditKind } = account;

const LEASE_MS = 60_000;
const GRACE_MS = 30_000;
const RECALL_MS = 500;
const HEARTBEAT_EVERY_MS = 250;
const DAY_MS = 86_400_000;

interface HeldLease {
  readonly leaseId: string;
  readonly tenantId: string;
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

/** What tests see and do to the credits of the stand-in. */
export interface StandInCredits {
  /** Gives market-state credits to a tenant; one that was given none has plenty. */
  grant(tenantId: string, credits: number): void;
  spent(tenantId: string): number;
  /** In leases that are not over. */
  held(tenantId: string): number;
  receipts(tenantId: string): readonly account.Receipt[];
  leaseTotal(): number;
  takeTotal(): number;
  /** Batches that came, repeated ones too. */
  postTotal(): number;
  setControls(tenantId: string, controls: account.SpendControls): void;
  /** No call on credits is answered well while this holds. */
  setDown(down: boolean): void;
  /** Batches are taken, and their answers lost. */
  setAnswersLost(lost: boolean): void;
}

const PLENTY = 1_000_000_000;

function wholeCharges(charges: readonly account.Charge[]): account.Charge[] {
  let caller: account.Caller | undefined;
  let priced: account.Priced | undefined;
  return charges.map((charge) => {
    caller = charge.caller ?? caller;
    priced = charge.priced ?? priced;
    return { ...charge, caller, priced };
  });
}

/** CreditService over memory: the rules of its contract, with one grant a tenant. */
export function standInCredits(now: () => number = Date.now) {
  const tenants = new Map<string, TenantCredits>();
  const leases = new Map<string, HeldLease>();
  const recalls = new Map<string, Broadcast<account.WatchRecallsResponse>>();
  let down = false;
  let answersLost = false;
  let takeTotal = 0;
  let postTotal = 0;

  function tenantOf(tenantId: string): TenantCredits {
    const known = tenants.get(tenantId);
    if (known !== undefined) return known;
    const made: TenantCredits = { granted: PLENTY, spent: 0, controls: {}, receipts: [] };
    tenants.set(tenantId, made);
    return made;
  }

  function openLeases(tenantId: string): HeldLease[] {
    for (const lease of leases.values()) if (now() >= lease.expiresTsMs + GRACE_MS) lease.over = true;
    return [...leases.values()].filter((lease) => lease.tenantId === tenantId && !lease.over);
  }

  function heldOf(tenantId: string): number {
    return openLeases(tenantId).reduce((sum, { amount, charged }) => sum + amount - charged, 0);
  }

  function free(tenantId: string): { readonly control: account.CreditControl; readonly available: number } {
    const { granted, spent, controls } = tenantOf(tenantId);
    const bounds = [
      { control: CreditControl.BALANCE, available: granted - spent },
      { control: CreditControl.DAILY_CREDIT_CAP, available: (controls.dailyCreditCap ?? PLENTY) - spent },
      { control: CreditControl.MONTHLY_CREDIT_CAP, available: (controls.monthlyCreditCap ?? PLENTY) - spent },
    ];
    const least = bounds.reduce((a, b) => (b.available < a.available ? b : a));
    return { control: least.control, available: Math.max(0, least.available - heldOf(tenantId)) };
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

  /** Asks other gateways for their leases and waits for them; false when one did not answer. */
  async function recall(tenantId: string, gatewayId: string): Promise<boolean> {
    const others = openLeases(tenantId).filter((lease) => lease.gatewayId !== gatewayId);
    for (const lease of others) recallsOf(lease.gatewayId).send({ leaseIds: [lease.leaseId] });
    const endMs = performance.now() + RECALL_MS;
    while (others.some(({ over }) => !over) && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 5));
    return others.every(({ over }) => over);
  }

  function refuseWhenDown(): void {
    if (down) throw unavailable('upstream_unavailable', 'The store cannot be reached.');
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

  function checkCharges(lease: HeldLease, charges: readonly account.Charge[]): void {
    const total = charges.reduce((sum, { priced }) => sum + (priced?.observedMarketStateCredits ?? 0), 0);
    const faults = [
      ...(lease.charged + total > lease.amount ? [{ field: 'charges', message: 'are beyond the lease', type: 'out_of_range' }] : []),
      ...(charges.length === 0 || charges.length > 2_000
        ? [{ field: 'charges', message: 'must be 1 to 2,000', type: 'out_of_range' }]
        : []),
    ];
    if (faults.length > 0) throw invalidArgument(faults);
    lease.charged += total;
  }

  /** The batch, each of its charges with what it has in common with the one before it. */
  function charge({ leaseId, batch, charges }: account.ChargeBatch): account.PostedBatch {
    refuseWhenDown();
    const lease = leases.get(leaseId);
    if (lease === undefined || (lease.over && batch > lease.batches)) throw failedPrecondition('lease_over', 'The lease is over.');
    if (batch > lease.batches + 1) throw invalidArgument([{ field: 'batch', message: 'is out of turn', type: 'out_of_turn' }]);
    if (batch === lease.batches + 1) {
      const whole = wholeCharges(charges);
      checkCharges(lease, whole);
      for (const each of whole) writeReceipt(lease.tenantId, each);
      lease.batches = batch;
    }
    if (answersLost) throw unavailable('upstream_unavailable', 'The answer was lost.');
    return { available: free(lease.tenantId).available, leaseLeft: lease.amount - lease.charged };
  }

  function outcomeOf(batch: account.ChargeBatch): account.BatchOutcome['outcome'] {
    try {
      return { $case: 'posted', value: charge(batch) };
    } catch (error) {
      return { $case: 'failed', value: toPartialFailure(error) };
    }
  }

  function matches(receipt: account.Receipt, request: account.ListReceiptsRequest): boolean {
    return (
      (request.receiptId === '' || request.receiptId === receipt.receiptId) &&
      (request.requestId === '' || request.requestId === receipt.requestId) &&
      (request.workloadFamily === '' || request.workloadFamily === receipt.priced?.workloadFamily) &&
      receipt.servedTsMs >= request.fromTsMs &&
      (request.toTsMs === 0 || receipt.servedTsMs < request.toTsMs)
    );
  }

  function notHere(): never {
    throw unavailable('starting', 'Not part of this stand-in.');
  }

  const service = bindService(account.CreditServiceService, {
    async takeLease({ tenantId, gatewayId, needed, wanted }) {
      takeTotal += 1;
      refuseWhenDown();
      const returned = free(tenantId).available >= needed || (await recall(tenantId, gatewayId));
      const { control, available } = free(tenantId);
      if (available < needed) {
        if (!returned) throw unavailable('credits_held', 'Credits are held elsewhere.', { metadata: { retry_after_s: '1' } });
        return { refusal: { control, available, resetsTsMs: resetOf(control) } };
      }
      const amount = Math.min(available, Math.max(needed, wanted));
      const resetMs = resetOf(CreditControl.DAILY_CREDIT_CAP);
      const endsAtReset = resetMs < now() + LEASE_MS;
      const lease: HeldLease = {
        leaseId: `lse_${randomUUID()}`,
        tenantId,
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
    },
    async postCharges({ batches }) {
      postTotal += batches.length;
      return { outcomes: batches.map((batch) => ({ outcome: outcomeOf(batch) })) };
    },
    async endLease({ leaseId }) {
      refuseWhenDown();
      const lease = leases.get(leaseId);
      if (lease !== undefined) lease.over = true;
      return {};
    },
    async *watchRecalls({ gatewayId }, { signal }) {
      yield { leaseIds: [] };
      yield* recallsOf(gatewayId).subscribe(signal);
    },
    reserve: notHere,
    settle: notHere,
    release: notHere,
    async getBalances({ tenantId }) {
      const { granted, spent } = tenantOf(tenantId);
      const balance = {
        kind: CreditKind.MARKET_STATE,
        available: free(tenantId).available,
        held: heldOf(tenantId),
        spentToday: spent,
        spentThisMonth: spent,
      };
      const grant = {
        grantId: 'grt_1',
        source: 'plan',
        kind: CreditKind.MARKET_STATE,
        amount: granted,
        left: granted - spent,
        grantedTsMs: 1_000,
        expiresTsMs: 0,
      };
      return {
        balances: [balance, { kind: CreditKind.EXPORT, available: 5_000, held: 0, spentToday: 0, spentThisMonth: 0 }],
        grants: [grant],
      };
    },
    async getUsage({ tenantId }) {
      const rows = new Map<string, account.UsageRow>();
      for (const { caller, priced, servedTsMs } of tenantOf(tenantId).receipts) {
        if (priced === undefined) continue;
        const dayTsMs = Math.floor(servedTsMs / DAY_MS) * DAY_MS;
        const place = JSON.stringify([dayTsMs, priced.route, caller?.keyId]);
        const before = rows.get(place) ?? {
          dayTsMs,
          workloadFamily: priced.workloadFamily,
          method: priced.method,
          route: priced.route,
          keyId: caller?.keyId ?? '',
          accountId: '',
          calls: 0,
          marketStateCredits: 0,
          exportCredits: 0,
        };
        rows.set(place, {
          ...before,
          calls: before.calls + 1,
          marketStateCredits: before.marketStateCredits + priced.observedMarketStateCredits,
        });
      }
      return { rows: [...rows.values()] };
    },
    async listReceipts(request) {
      const all = tenantOf(request.tenantId)
        .receipts.filter((receipt) => matches(receipt, request))
        .reverse();
      const from = request.cursor === '' ? 0 : Number(JSON.parse(Buffer.from(request.cursor, 'base64url').toString())[1]);
      const end = from + request.limit;
      return {
        receipts: all.slice(from, end),
        nextCursor: end < all.length ? Buffer.from(JSON.stringify(['u1', end])).toString('base64url') : '',
      };
    },
    async getSpendControls({ tenantId }) {
      return { controls: tenantOf(tenantId).controls };
    },
    async setSpendControls({ tenantId, controls }) {
      tenantOf(tenantId).controls = controls ?? {};
      for (const lease of openLeases(tenantId)) recallsOf(lease.gatewayId).send({ leaseIds: [lease.leaseId] });
      return { controls: tenantOf(tenantId).controls };
    },
  });

  const beat = setInterval(() => {
    for (const channel of recalls.values()) channel.send({ leaseIds: [] });
  }, HEARTBEAT_EVERY_MS);

  const credits: StandInCredits = {
    grant(tenantId, amount) {
      const tenant = tenantOf(tenantId);
      tenant.granted = (tenant.granted === PLENTY ? 0 : tenant.granted) + amount;
    },
    spent: (tenantId) => tenantOf(tenantId).spent,
    held: heldOf,
    receipts: (tenantId) => tenantOf(tenantId).receipts,
    leaseTotal: () => [...leases.values()].filter(({ over }) => !over).length,
    takeTotal: () => takeTotal,
    postTotal: () => postTotal,
    setControls(tenantId, controls) {
      tenantOf(tenantId).controls = controls;
    },
    setDown(next) {
      down = next;
    },
    setAnswersLost(next) {
      answersLost = next;
    },
  };
  return { service, credits, close: () => clearInterval(beat) };
}
