import { account } from '@market-state/contracts';
import { notFound, unavailable } from '@market-state/errors';
import { bindService, toPartialFailure } from '@market-state/grpc';
import { creditMemory, DAY_MS, PLENTY } from './credit-memory';

const { CreditControl, CreditKind } = account;

const EXPORT_CREDITS = 5_000;

const HEARTBEAT_EVERY_MS = 250;

/** Test access to the stand-in's credits. */
export interface StandInCredits {
  /** Grants market-state credits; tenants without a grant have plenty. */
  grant(tenantId: string, credits: number): void;
  spent(tenantId: string): number;
  /** In open leases. */
  held(tenantId: string): number;
  receipts(tenantId: string): readonly account.Receipt[];
  leaseTotal(): number;
  takeTotal(): number;
  /** Batches received, including repeats. */
  postTotal(): number;
  /** Undefined removes the ceiling. */
  setCeiling(keyId: string, ceiling: account.CreditCeiling | undefined): void;
  ceilingOf(keyId: string): account.CeilingStanding | undefined;
  setControls(tenantId: string, controls: account.SpendControls): void;
  /** While down, every credit call fails. */
  setDown(down: boolean): void;
  /** Accepts batches but loses the answers. */
  setAnswersLost(lost: boolean): void;
}

/** In-memory CreditService that follows its contract, with one grant per tenant. */
export function standInCredits(now: () => number = Date.now, isKeyOf: (tenantId: string, keyId: string) => boolean = () => true) {
  const { tenantOf, openLeases, heldOf, spendable, standingOf, ceilings, recallsOf, recalls, leases, take, charge } = creditMemory(now);
  let down = false;
  let answersLost = false;
  let takeTotal = 0;
  let postTotal = 0;

  function refuseWhenDown(): void {
    if (down) throw unavailable('upstream_unavailable', 'The store cannot be reached.');
  }

  function outcomeOf(batch: account.ChargeBatch): account.BatchOutcome['outcome'] {
    try {
      refuseWhenDown();
      const value = charge(batch);
      if (answersLost) throw unavailable('upstream_unavailable', 'The answer was lost.');
      return { $case: 'posted', value };
    } catch (error) {
      return { $case: 'failed', value: toPartialFailure(error) };
    }
  }

  function matches(receipt: account.Receipt, request: account.ListReceiptsRequest): boolean {
    return (
      (request.receiptId === '' || request.receiptId === receipt.receiptId) &&
      (request.requestId === '' || request.requestId === receipt.requestId) &&
      (request.workloadFamily === '' || request.workloadFamily === receipt.priced?.workloadFamily) &&
      (request.keyId === undefined || request.keyId === receipt.caller?.keyId) &&
      receipt.servedTsMs >= request.fromTsMs &&
      (request.toTsMs === 0 || receipt.servedTsMs < request.toTsMs)
    );
  }

  function notHere(): never {
    throw unavailable('starting', 'Not part of this stand-in.');
  }

  function balancesOf(tenantId: string, charged = 0): account.Balance[] {
    const { granted } = tenantOf(tenantId);
    const spent = tenantOf(tenantId).spent + charged;
    const leasedToGateways = heldOf(tenantId) - charged;
    const available = granted - spent - leasedToGateways;
    return [
      { kind: CreditKind.MARKET_STATE, available, held: 0, leasedToGateways, spentToday: spent, spentThisMonth: spent },
      { kind: CreditKind.EXPORT, available: EXPORT_CREDITS, held: 0, leasedToGateways: 0, spentToday: 0, spentThisMonth: 0 },
    ];
  }

  const service = bindService(account.CreditServiceService, {
    async takeLease(request) {
      takeTotal += 1;
      refuseWhenDown();
      return take(request);
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
    async getBalances({ tenantId, keyId }) {
      const { granted, spent } = tenantOf(tenantId);
      const grant = {
        grantId: 'grt_1',
        source: 'plan',
        kind: CreditKind.MARKET_STATE,
        amount: granted,
        left: granted - spent,
        grantedTsMs: 1_000,
        expiresTsMs: 0,
      };
      return { balances: balancesOf(tenantId), grants: [grant], ceiling: standingOf(keyId) };
    },
    async getBalanceHistory({ tenantId, fromTsMs, toTsMs, step }) {
      const { granted, spent } = tenantOf(tenantId);
      const stepMs = step === account.BalanceStep.HOUR ? DAY_MS / 24 : DAY_MS;
      const balances = balancesOf(tenantId).map(({ kind, available, held, leasedToGateways }) => ({
        kind,
        available,
        held,
        leasedToGateways,
      }));
      const nothing = { available: 0, held: 0, leasedToGateways: 0 };
      const at = Math.floor(Math.min(toTsMs - 1, now()) / stepMs) * stepMs;
      const moved = { closed: false, expired: 0, returned: 0 };
      return {
        opening: balances.map(({ kind }) => ({ kind, ...nothing })),
        steps:
          fromTsMs > now()
            ? []
            : balances.map((balance) =>
                balance.kind === CreditKind.EXPORT
                  ? { ...moved, fromTsMs: at, toTsMs: now(), balance, granted: EXPORT_CREDITS, charged: 0 }
                  : { ...moved, fromTsMs: at, toTsMs: now(), balance, granted, charged: spent },
              ),
      };
    },
    async previewCharge({ tenantId, kind, credits: needed, keyId, unacknowledged }) {
      const isExport = kind === CreditKind.EXPORT;
      const sent = unacknowledged.filter(({ leaseId, batch }) => (leases.get(leaseId)?.batches ?? batch) < batch);
      const charged = sent.reduce((sum, { credits }) => sum + credits, 0);
      const { control, left: stored } = spendable(tenantId, keyId);
      const left = stored - charged;
      const ceiling = tenantOf(tenantId).controls.perCallCreditCeiling ?? PLENTY;
      const isTooDear = !isExport && needed > ceiling;
      const short = isTooDear
        ? { control: CreditControl.PER_CALL_CREDIT_CEILING, available: ceiling, resetsTsMs: 0 }
        : { control, available: Math.max(0, left), resetsTsMs: 0 };
      return {
        balances: balancesOf(tenantId, charged),
        ...(isTooDear || (!isExport && needed > left) ? { refusal: short } : {}),
        marketStateAfter: left - (isExport ? 0 : needed),
        exportAfter: EXPORT_CREDITS - (isExport ? needed : 0),
      };
    },
    async getUsage({ tenantId, keyId }) {
      if (keyId !== undefined && !isKeyOf(tenantId, keyId)) throw notFound('unknown_key', 'There is no such key.');
      const rows = new Map<string, account.UsageRow>();
      for (const { caller, priced, servedTsMs } of tenantOf(tenantId).receipts) {
        if (priced === undefined || (keyId !== undefined && keyId !== caller?.keyId)) continue;
        const dayTsMs = Math.floor(servedTsMs / DAY_MS) * DAY_MS;
        const place = JSON.stringify([dayTsMs, priced.route, caller?.keyId, caller?.accountId]);
        const before = rows.get(place) ?? {
          dayTsMs,
          workloadFamily: priced.workloadFamily,
          method: priced.method,
          route: priced.route,
          keyId: caller?.keyId ?? '',
          accountId: caller?.accountId ?? '',
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
    setCeiling(keyId, ceiling) {
      if (ceiling === undefined) ceilings.delete(keyId);
      else ceilings.set(keyId, ceiling);
    },
    ceilingOf: standingOf,
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
