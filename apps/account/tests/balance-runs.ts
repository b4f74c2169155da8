import { account } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import fc from 'fast-check';
import { grantCredits } from '../src/credits/grants';
import { sumBalances } from '../src/credits/balance-history';
import { reservation } from './credit-calls';
import { chargeOf, type CreditsUnderTest, NOON_MS, postBatch } from './credits-under-test';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Not a full hour: in its first millisecond, the current step and the one before end at the same time. */
const START_MS = NOON_MS + 60_000;
/** Histories start this long before the first step. */
const BEFORE_MS = 2 * DAY_MS;

export type Step =
  | { readonly do: 'grant'; readonly credits: number; readonly hours: number }
  | { readonly do: 'take' | 'reserve'; readonly credits: number }
  | { readonly do: 'charge' | 'settle'; readonly at: number; readonly credits: number }
  | { readonly do: 'end' | 'release'; readonly at: number }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'sum'; readonly postings: number };

const credits = (min: number, max: number) => fc.integer({ min, max });

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), credits: credits(1, 50), hours: fc.constantFrom(0, 1, 30) }),
  fc.record({ do: fc.constantFrom('take' as const, 'reserve' as const), credits: credits(1, 12) }),
  fc.record({ do: fc.constantFrom('charge' as const, 'settle' as const), at: fc.nat(3), credits: credits(0, 12) }),
  fc.record({ do: fc.constantFrom('end' as const, 'release' as const), at: fc.nat(3) }),
  fc.record({ do: fc.constant('pass' as const), minutes: fc.constantFrom(3, 61, 1_500) }),
  fc.record({ do: fc.constant('sum' as const), postings: fc.constantFrom(1, 3, 1_000) }),
);

interface Held {
  readonly id: string;
  left: number;
  batch: number;
}

/** Plays steps on a tenant. After each, the history must match the postings, and closed steps must not change. */
export async function playHistory(under: CreditsUnderTest, steps: readonly Step[], run: number): Promise<void> {
  under.setNow(START_MS);
  const tenantId = await under.tenantWith(100, 20);
  const { call } = under.client;
  let nowMs = START_MS;
  const leases: Held[] = [];
  const orders: Held[] = [];

  async function play(one: Step, index: number): Promise<unknown> {
    const operationId = `run ${run} ${index}`;
    switch (one.do) {
      case 'grant': {
        const expiresMs = one.hours === 0 ? null : nowMs + one.hours * HOUR_MS;
        const gift = {
          source: 'operator',
          operationId,
          note: '',
          credits: { market_state: one.credits, export: 1 },
          expiresMs,
          nowMs,
        } as const;
        return inTransaction(under.pool, (db) => grantCredits(db, tenantId, gift));
      }
      case 'take': {
        const { lease } = await call.takeLease({ tenantId, gatewayId: 'gw_1', needed: 0, wanted: one.credits });
        return lease === undefined ? 0 : leases.push({ id: lease.leaseId, left: lease.amount, batch: 0 });
      }
      case 'charge': {
        const lease = leases[one.at];
        if (lease === undefined) return undefined;
        const charges = [chargeOf(tenantId, Math.min(one.credits, lease.left))];
        const posted = await postBatch(call, { leaseId: lease.id, batch: (lease.batch += 1), charges }).catch((error: unknown) => {
          expect(error).toMatchObject({ reason: 'lease_over' });
          return leases.splice(one.at, 1);
        });
        return (lease.left -= 'leaseLeft' in posted ? lease.left - posted.leaseLeft : 0);
      }
      case 'end': {
        const [lease] = leases.splice(one.at, 1);
        return lease === undefined ? undefined : call.endLease({ leaseId: lease.id });
      }
      case 'reserve': {
        const order = { ...reservation(tenantId, operationId, 0, one.credits), expiresTsMs: nowMs + 30 * HOUR_MS };
        const { reserved } = await call.reserve(order);
        return reserved ? orders.push({ id: operationId, left: one.credits, batch: 0 }) : 0;
      }
      case 'settle': {
        const [order] = orders.splice(one.at, 1);
        if (order === undefined) return undefined;
        const observedExportCredits = Math.min(one.credits, order.left);
        const settling = call.settle({ operationId: order.id, observedMarketStateCredits: 0, observedExportCredits, artifactIds: [] });
        return settling.catch((error: unknown) => expect(error).toMatchObject({ reason: 'reservation_over' }));
      }
      case 'release': {
        const [order] = orders.splice(one.at, 1);
        return order === undefined ? undefined : call.release({ operationId: order.id });
      }
      case 'pass':
        return (nowMs += one.minutes * 60_000);
      case 'sum':
        return sumBalances({ pool: under.pool, clock: under.now }, one.postings);
    }
  }

  const closed = new Map<string, account.BalanceOfStep>();
  for (const [index, one] of steps.entries()) {
    under.setNow(nowMs);
    await play(one, index);
    under.setNow(nowMs);
    for (const step of [account.BalanceStep.HOUR, account.BalanceStep.DAY]) {
      const history = await historyOf(under, tenantId, step);
      await agreesWithPostings(under, tenantId, history);
      for (const row of history.steps.filter((each) => each.closed)) {
        const name = `${step} ${row.balance?.kind} ${row.fromTsMs}`;
        expect(row).toEqual(closed.get(name) ?? row);
        closed.set(name, row);
      }
    }
  }
}

/** History up to now, from two days before the first step. */
export function historyOf(
  { client, now }: CreditsUnderTest,
  tenantId: string,
  step: account.BalanceStep,
): Promise<account.GetBalanceHistoryResponse> {
  return client.call.getBalanceHistory({ tenantId, fromTsMs: NOON_MS - BEFORE_MS, toTsMs: now() + 1, step });
}

interface Line {
  readonly kind: string;
  readonly account: string;
  readonly phase: string;
  readonly is_lease: boolean;
  readonly amount: number;
  readonly at: number;
}

const LINES = `SELECT e.kind, e.account, p.phase, l.id IS NOT NULL AS is_lease, e.amount::int AS amount,
    (extract(epoch FROM p.posted_at) * 1000)::float8 AS at
  FROM posting p JOIN entry e ON e.posting_id = p.id LEFT JOIN credit_lease l ON l.id = p.operation_id WHERE p.tenant_id = $1`;

/**
 * Recomputes each row from all postings. The last row must be the current balance, and each row the previous one plus
 * its movements.
 */
async function agreesWithPostings(
  { client, pool }: CreditsUnderTest,
  tenantId: string,
  { opening, steps }: account.GetBalanceHistoryResponse,
): Promise<void> {
  const { rows: lines } = await pool.query<Line>(LINES, [tenantId]);
  for (const [kind, name] of [
    [account.CreditKind.MARKET_STATE, 'market_state'],
    [account.CreditKind.EXPORT, 'export'],
  ] as const) {
    const ofKind = lines.filter((line) => line.kind === name);
    const sum = (holds: (line: Line) => boolean): number => ofKind.reduce((total, line) => (holds(line) ? total + line.amount : total), 0);
    let before = opening.find((balance) => balance.kind === kind);
    const own = steps.filter(({ balance }) => balance?.kind === kind);
    for (const { fromTsMs, toTsMs, balance, granted, charged, expired, returned } of own) {
      const until = ({ at }: Line): boolean => at < toTsMs || toTsMs === own.at(-1)?.toTsMs;
      const within = (line: Line): boolean => line.at >= fromTsMs && until(line);
      expect({ balance, granted, charged, expired, returned }).toEqual({
        balance: {
          kind,
          available: sum((line) => until(line) && line.account === 'grant'),
          held: sum((line) => until(line) && line.account === 'holds' && !line.is_lease),
          leasedToGateways: sum((line) => until(line) && line.account === 'holds' && line.is_lease),
        },
        granted: 0 - sum((line) => within(line) && line.account === 'issued'),
        charged: sum((line) => within(line) && line.account === 'spent'),
        expired: sum((line) => within(line) && line.account === 'expired'),
        returned: 0 - sum((line) => within(line) && line.account === 'holds' && line.phase === 'release' && !line.is_lease),
      });
      expect(wholeOf(balance)).toBe(wholeOf(before) + granted - charged - expired);
      before = balance;
    }
    const now = (await client.call.getBalances({ tenantId })).balances.find((balance) => balance.kind === kind);
    expect(own.at(-1)?.balance).toEqual({ kind, available: now?.available, held: now?.held, leasedToGateways: now?.leasedToGateways });
  }
}

function wholeOf(balance: account.BalanceAt | undefined): number {
  return balance === undefined ? 0 : balance.available + balance.held + balance.leasedToGateways;
}
