import { BudgetError, type CallFacts, type MarketState, ProblemError, TransportError } from '@market-state/client';
import { comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { atOnce, countsOf, firstOf, type ProofContext, sumOf } from '../harness';
import type { FaultyProxy, Passed } from './faulty-proxy';

const WORKERS = 12;
const SHOWN_MAX = 10;
/** Of the client that has one: too little for its share of the calls. */
const BUDGET_PER_CALL = 0.5;
const RECEIPTS_MS_MAX = 30_000;
const POLL_MS = 200;
const SYMBOL = 'BTCUSD-PERP';

/** What became of the calls. */
interface Outcome {
  readonly answered: CallFacts[];
  readonly refused: ProblemError[];
  readonly lost: TransportError[];
  readonly unsent: BudgetError[];
  /** Anything else that was thrown: there must be none. */
  readonly unhandled: unknown[];
}

/** The calls that are drawn from, of every price and of none. */
const CALLS: readonly ((ms: MarketState) => Promise<{ readonly call: CallFacts }>)[] = [
  (ms) => ms.latest.get({ symbol: SYMBOL, view: 'compact' }),
  (ms) => ms.latest.get({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 300 }),
  (ms) => ms.book.latest({ symbol: SYMBOL, depth: 20 }),
  (ms) => ms.history.get({ symbol: SYMBOL, limit: 30 }),
  (ms) => ms.data.freshness({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 0 }),
];

/**
 * Makes calls through the proxy and compares what the SDK says of each with what passed, and with the receipts of the ledger.
 * @param other a client of another tenant, which calls within a budget
 */
export async function proveCalls(
  { report, random, budget: total, say }: ProofContext,
  proxy: FaultyProxy,
  pool: Pool,
  ms: MarketState,
  other: { readonly ms: MarketState; readonly tenantId: string },
): Promise<void> {
  const outcome: Outcome = { answered: [], refused: [], lost: [], unsent: [], unhandled: [] };
  const limited = other.ms.withBudget(Math.ceil((total / WORKERS) * BUDGET_PER_CALL));
  const budget = limited.budgetLeft ?? 0;
  const onUnhandled = (reason: unknown): void => void outcome.unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  let made = 0;
  await atOnce(WORKERS, async (worker) => {
    while (made < total) {
      made += 1;
      if (made % 1_000 === 0) say(`${made} of ${total} calls`);
      const call = CALLS[Math.floor(random() * CALLS.length)] as (typeof CALLS)[number];
      note(
        outcome,
        await call(worker === 0 ? limited : ms).then(
          ({ call: facts }) => facts,
          (error: unknown) => error,
        ),
      );
    }
  });
  process.off('unhandledRejection', onUnhandled);

  const charged = chargesOf(proxy.passed);
  const told = sumOf([...charged.values()]);
  await comesTrue(async () => (await receiptTotal(pool, [...charged.keys()])) >= told, { limitMs: RECEIPTS_MS_MAX, everyMs: POLL_MS });
  const receipts = await receiptsByRequest(pool, [...charged.keys()]);
  const failures = [
    ...outcome.unhandled.map((error) => `A call threw what no caller expects: ${String(error)}`),
    ...[...charged].flatMap(([id, credits]) =>
      (receipts.get(id) ?? 0) === credits
        ? []
        : [`Call ${id} was told ${credits} credits, and its receipts have ${receipts.get(id) ?? 0}.`],
    ),
    ...factFaults(outcome, proxy.passed),
    ...[...outcome.refused]
      .filter(({ status }) => ![422, 429, 503, 504].includes(status))
      .map((error) => `A call was refused: ${error.message}`),
  ];
  const spent = await spentBy(pool, other.tenantId);
  report.fail(...firstOf(failures, SHOWN_MAX));
  report.check(spent <= budget, `A client with a budget of ${budget} credits has spent ${spent}.`);
  report.check(
    outcome.answered.length + outcome.refused.length + outcome.lost.length + outcome.unsent.length === made,
    'Some calls have no outcome.',
  );
  report.figure(
    'calls answered, refused, lost, not sent for their budget, with an error of another kind',
    `${outcome.answered.length}, ${outcome.refused.length}, ${outcome.lost.length}, ${outcome.unsent.length}, ${outcome.unhandled.length}`,
  );
  report.figure('requests by fault', countsOf(faultCounts(proxy.passed)));
  report.figure('credits charged, on receipts, of the budget spent', `${told}, ${sumOf([...receipts.values()])}, ${spent} of ${budget}`);
}

function note(outcome: Outcome, result: unknown): void {
  if (result instanceof ProblemError) outcome.refused.push(result);
  else if (result instanceof TransportError) outcome.lost.push(result);
  else if (result instanceof BudgetError) outcome.unsent.push(result);
  else if (result instanceof Error) outcome.unhandled.push(result);
  else outcome.answered.push(result as CallFacts);
}

/** Credits that the gateway said it charged, of all attempts of a call. */
function chargesOf(passed: readonly Passed[]): Map<string, number> {
  const charges = new Map<string, number>();
  for (const { requestId, charged } of passed) charges.set(requestId, (charges.get(requestId) ?? 0) + charged);
  return charges;
}

function factFaults({ answered, lost }: Outcome, passed: readonly Passed[]): string[] {
  const byId = new Map<string, Passed[]>();
  for (const each of passed) byId.set(each.requestId, [...(byId.get(each.requestId) ?? []), each]);
  return [
    ...[...answered, ...lost].flatMap(({ requestId, attempts }) =>
      byId.get(requestId)?.length === attempts ? [] : [`Call ${requestId} says ${attempts} attempts, and was sent otherwise.`],
    ),
    ...answered.flatMap(({ requestId, charged }) =>
      (byId.get(requestId)?.at(-1)?.charged ?? 0) === (charged ?? 0)
        ? []
        : [`Call ${requestId} says ${charged} credits, and was told others.`],
    ),
  ];
}

function faultCounts(passed: readonly Passed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fault } of passed) counts[fault ?? 'none'] = (counts[fault ?? 'none'] ?? 0) + 1;
  return counts;
}

async function receiptsByRequest(pool: Pool, requestIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ request_id: string; credits: number }>(
    'SELECT request_id, sum(observed_market_state_credits)::int AS credits FROM receipt WHERE request_id = ANY($1) GROUP BY request_id',
    [requestIds],
  );
  return new Map(rows.map(({ request_id: id, credits }) => [id, credits]));
}

async function spentBy(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ credits: number | null }>(
    'SELECT sum(observed_market_state_credits)::int AS credits FROM receipt WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.credits ?? 0;
}

async function receiptTotal(pool: Pool, requestIds: readonly string[]): Promise<number> {
  return sumOf([...(await receiptsByRequest(pool, requestIds)).values()]);
}
