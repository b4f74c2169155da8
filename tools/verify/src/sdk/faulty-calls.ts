import { comesTrue, countsOf, sumOf, type Tenant } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, type SuiteContext } from '../harness';
import type { FaultyProxy, Passed } from './faulty-proxy';
import type { SdkHost } from './host';
import { type Access, type CallOutcome, WORKERS } from './calls';

const SHOWN_MAX = 10;
/** For the client with a budget: too little for its share of the calls. */
const BUDGET_PER_CALL = 0.5;
const RECEIPTS_MS_MAX = 30_000;
const POLL_MS = 200;
/** Statuses that the proxy may answer, or the gateway for an invalid parameter. */
const STATUSES_EXPECTED: readonly (number | null)[] = [422, 429, 503, 504];

interface CallScene {
  readonly host: SdkHost;
  readonly proxy: FaultyProxy;
  readonly pool: Pool;
  readonly access: Access;
  readonly other: Tenant;
}

export async function verifyCalls(
  { report, random, budget: total, say }: SuiteContext,
  { host, proxy, pool, access, other }: CallScene,
): Promise<void> {
  const budget = Math.ceil((total / WORKERS) * BUDGET_PER_CALL);
  const order = { access, limited: { apiKey: other.key, budget }, seed: Math.floor(random() * 2 ** 32), total };
  const outcomes = await host.makeCalls(order, (line) => say(`${host.name}: ${line}`));

  const passes = passesById(proxy.passed);
  const reported = sumOf(proxy.passed.map(({ charged }) => charged));
  await comesTrue(async () => (await receiptTotal(pool, passes)) >= reported, { limitMs: RECEIPTS_MS_MAX, everyMs: POLL_MS });
  const receipts = await receiptsByRequest(pool, passes);
  const again = sentAgain(outcomes, passes);
  const spent = await spentBy(pool, other.tenantId);
  const allowed = budget + sumOf(again.filter(({ isLimited }) => isLimited).map(({ creditsAtMost }) => creditsAtMost));
  const failures = [
    ...ofKind(outcomes, 'unhandled').map(({ message }) => `a call threw an unexpected kind of error: ${message}`),
    ...[...passes].flatMap(([id, each]) => {
      const [credits, onReceipts] = [sumOf(each.map(({ charged }) => charged)), receipts.get(id) ?? 0];
      return credits === onReceipts ? [] : [`call ${id} reported ${credits} credits, but its receipts have ${onReceipts}`];
    }),
    ...factFaults(outcomes, passes, host),
    ...ofKind(outcomes, 'refused')
      .filter(({ status }) => !STATUSES_EXPECTED.includes(status))
      .map(({ message }) => `a call was refused: ${message}`),
    ...(spent <= allowed
      ? []
      : [`a client with a budget of ${budget} credits spent ${spent}; the maximum including retries is ${allowed}`]),
    ...(outcomes.length === total ? [] : [`${outcomes.length} of ${total} calls have an outcome`]),
  ];
  report.fail(...firstOf(failures, SHOWN_MAX).map((failure) => `${host.name}: ${failure}.`));
  report.figure(
    `${host.name}: calls answered, refused, lost, not sent for lack of budget, with another error`,
    (['answered', 'refused', 'lost', 'unsent', 'unhandled'] as const).map((kind) => ofKind(outcomes, kind).length).join(', '),
  );
  const [requests, byHost] = [countsOf(faultCounts(proxy.passed)), sumOf(again.map(({ requests: times }) => times))];
  report.figure(`${host.name}: requests by fault`, host.sendsAgain ? `${requests}; retried by the runtime: ${byHost}` : requests);
  report.figure(
    `${host.name}: credits charged, on receipts, spent of the budget`,
    `${reported}, ${sumOf([...receipts.values()])}, ${spent} of ${budget}`,
  );
}

function ofKind(outcomes: readonly CallOutcome[], kind: CallOutcome['kind']): CallOutcome[] {
  return outcomes.filter((outcome) => outcome.kind === kind);
}

type Passes = ReadonlyMap<string, readonly Passed[]>;

function passesById(passed: readonly Passed[]): Passes {
  const byId = new Map<string, Passed[]>();
  for (const each of passed) byId.set(each.requestId, [...(byId.get(each.requestId) ?? []), each]);
  return byId;
}

function factFaults(outcomes: readonly CallOutcome[], passes: Passes, { sendsAgain }: SdkHost): string[] {
  const lengthOf = (id: string | null): number => passes.get(id ?? '')?.length ?? 0;
  return [
    ...outcomes.flatMap(({ kind, requestId, attempts }) => {
      if (attempts === null || kind === 'refused') return [];
      const sent = lengthOf(requestId);
      const isRight = sendsAgain ? sent >= attempts : sent === attempts;
      return isRight ? [] : [`call ${requestId} reports ${attempts} attempts, but was sent ${sent} times`];
    }),
    ...ofKind(outcomes, 'answered').flatMap(({ requestId, charged }) => {
      const said = passes.get(requestId ?? '')?.at(-1)?.charged ?? 0;
      return said === (charged ?? 0) ? [] : [`call ${requestId} reports ${charged} credits, but its answer stated ${said}`];
    }),
  ];
}

/** Calls sent more often than the SDK did, and the maximum cost of the extra requests. */
function sentAgain(
  outcomes: readonly CallOutcome[],
  passes: Passes,
): { readonly isLimited: boolean; readonly requests: number; readonly creditsAtMost: number }[] {
  const known = new Map(outcomes.map((outcome) => [outcome.requestId, outcome]));
  return [...passes].flatMap(([id, each]) => {
    // A call that ran out of budget between two attempts has no known id: it was sent at least once.
    const { attempts, isLimited } = known.get(id) ?? { attempts: null, isLimited: true };
    const requests = each.length - (attempts ?? 1);
    const dearest = Math.max(...each.map(({ charged }) => charged));
    return requests <= 0 ? [] : [{ isLimited, requests, creditsAtMost: requests * dearest }];
  });
}

function faultCounts(passed: readonly Passed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fault } of passed) counts[fault ?? 'none'] = (counts[fault ?? 'none'] ?? 0) + 1;
  return counts;
}

async function receiptsByRequest(pool: Pool, passes: Passes): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ request_id: string; credits: number }>(
    'SELECT request_id, sum(observed_market_state_credits)::int AS credits FROM receipt WHERE request_id = ANY($1) GROUP BY request_id',
    [[...passes.keys()]],
  );
  return new Map(rows.map(({ request_id: id, credits }) => [id, credits]));
}

async function receiptTotal(pool: Pool, passes: Passes): Promise<number> {
  return sumOf([...(await receiptsByRequest(pool, passes)).values()]);
}

async function spentBy(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ credits: number | null }>(
    'SELECT sum(observed_market_state_credits)::int AS credits FROM receipt WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.credits ?? 0;
}
