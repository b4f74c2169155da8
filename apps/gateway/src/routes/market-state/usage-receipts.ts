import { account } from '@market-state/contracts';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type Call, grantOf, type Handler } from '../../serving/answers/handler';
import { receiptStatistics, showBalances, showCeiling } from '../../serving/answers/show-billing';
import { Problem } from '../../serving/errors/problem';
import { parseInstant, textOrNull, toUtc, toUtcOrNull } from '../../serving/meta/meta';
import type { Meter } from '../../serving/metering/meter';
import { type Described, documentedWord } from '../../serving/openapi/document';

interface UsageDeps extends Pick<Upstreams, 'credits'> {
  readonly meter: Pick<Meter, 'posted'>;
  readonly now: () => number;
}

/** Steps from the call to its artifacts, in order. */
function flowOf(
  { requestId, operationId, receiptId }: account.Receipt,
  artifactIds: readonly string[],
): Described<'UsageReceipt'>['call_to_artifact_flow'] {
  return [
    { step: 'call', id: requestId },
    { step: 'charge', id: operationId },
    ...artifactIds.map((id) => ({ step: 'artifact' as const, id })),
    { step: 'receipt', id: receiptId },
  ];
}

/** Usage receipt as in the contract, with its subject. */
export function showReceipt(receipt: account.Receipt): Described<'UsageReceipt'> {
  const { priced, caller } = receipt;
  if (priced === undefined || caller === undefined) throw new Error(`receipt ${receipt.receiptId} is incomplete`);
  return {
    receipt_id: receipt.receiptId,
    request_id: receipt.requestId,
    operation_id: receipt.operationId,
    status: receipt.status,
    served_at_utc: toUtc(receipt.servedTsMs),
    plan_id: receipt.planId,
    tenant_id: caller.tenantId,
    key_id: textOrNull(caller.keyId),
    account_id: textOrNull(caller.accountId),
    ...receiptStatistics(priced),
    quote_id: textOrNull(priced.quoteId),
    produced_artifacts: priced.artifactIds.map((artifactId) => ({
      artifact_id: artifactId,
      produced_by: `${priced.method} ${priced.route}`,
    })),
    call_to_artifact_flow: flowOf(receipt, priced.artifactIds),
    review_artifact_ids: [...priced.artifactIds],
  };
}

const RECEIPTS_MAX = 1_000;
/** Numbers of receipts searched for the latest one that is not for reading receipts: nearly always the first few have it. */
const LOOK_BACKS = [4, 100];

/** Default: the latest one that is not for reading receipts. */
export function getUsageReceipt({ credits, meter }: UsageDeps): Handler<'getUsageReceipt'> {
  async function list(
    tenantId: string,
    { receiptId = '', requestId = '', limit }: { receiptId?: string; requestId?: string; limit: number },
  ): Promise<readonly account.Receipt[]> {
    const filter = { workloadFamily: '', fromTsMs: 0, toTsMs: 0, cursor: '' };
    const { receipts } = await credits.call.listReceipts({ ...filter, tenantId, receiptId, requestId, limit });
    return receipts;
  }

  async function findLatest(tenantId: string, ownPath: string): Promise<readonly account.Receipt[]> {
    let newest: account.Receipt | undefined;
    for (const limit of LOOK_BACKS) {
      const receipts = await list(tenantId, { limit });
      const latest = receipts.find(({ priced }) => priced?.route !== ownPath);
      if (latest !== undefined) return [latest];
      newest = receipts[0];
      if (receipts.length < limit) break;
    }
    return newest === undefined ? [] : [newest];
  }

  async function find(call: Call<'getUsageReceipt'>): Promise<readonly account.Receipt[]> {
    const { tenantId } = grantOf(call);
    const receiptId = call.input.query.receipt_id;
    const requestId = call.input.query.request_id;
    await meter.posted(tenantId);
    return receiptId === '' && requestId === ''
      ? findLatest(tenantId, call.operation.path)
      : list(tenantId, { receiptId, requestId, limit: RECEIPTS_MAX });
  }

  return async (call) => {
    const receipts = await find(call);
    const [newest] = receipts;
    if (newest === undefined) throw new Problem('not_found', 'No such receipt.');
    const rows = receipts.map(showReceipt);
    return accountAnswer(
      call,
      { ...showReceipt(newest), rows, row_total: rows.length },
      'As recorded in the ledger. Receipts never change.',
    );
  };
}

/** Default span in days, by step. */
const DAYS = { hour: 2, day: 31 } as const;
const DAY_MS = 86_400_000;
const STEPS = { hour: account.BalanceStep.HOUR, day: account.BalanceStep.DAY } as const;
const KIND_NAMES = {
  [account.CreditKind.MARKET_STATE]: 'market_state',
  [account.CreditKind.EXPORT]: 'export',
  [account.CreditKind.UNSPECIFIED]: 'market_state',
} as const;

function showBalanceAt({ kind, available, held, leasedToGateways }: account.BalanceAt): Described<'BalanceAt'> {
  return { credit_kind: KIND_NAMES[kind], available, held, leased_to_gateways: leasedToGateways };
}

function showSteps({ fromTsMs, toTsMs, closed, balance, ...moved }: account.BalanceOfStep): Described<'BalanceStep'>[] {
  if (balance === undefined) return [];
  const { granted, charged, expired, returned } = moved;
  const span = { from_utc: toUtc(fromTsMs), to_utc: toUtc(toTsMs), closed };
  return [{ ...span, ...showBalanceAt(balance), granted, charged, expired, returned }];
}

/** The tenant's balances at the end of each hour or day, with the movements. */
export function listBalanceHistory({ credits, meter, now }: UsageDeps): Handler<'listBalanceHistory'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { from, to, step } = call.input.query;
    const toTsMs = parseInstant(to) ?? now() + 1;
    const fromTsMs = parseInstant(from) ?? Math.max(0, toTsMs - DAYS[step] * DAY_MS);
    await meter.posted(tenantId);
    const { opening, steps } = await credits.call.getBalanceHistory({ tenantId, fromTsMs, toTsMs, step: STEPS[step] });
    const rows = steps.flatMap(showSteps);
    const fields = {
      from_utc: rows[0]?.from_utc ?? toUtc(fromTsMs),
      to_utc: rows.at(-1)?.to_utc ?? toUtc(fromTsMs),
      step,
      opening: opening.map(showBalanceAt),
      rows,
      row_total: rows.length,
    };
    return accountAnswer(call, fields, 'As posted in the ledger. Closed rows never change.');
  };
}

const sourceNamed = documentedWord('CreditGrant', 'source');

/** Grants in the order in which they are used. */
function showGrants(grants: readonly account.Grant[]): Described<'CreditGrant'>[] {
  return grants.map(({ grantId, source, kind, amount, left, grantedTsMs, expiresTsMs }) => ({
    grant_id: grantId,
    source: sourceNamed(source),
    credit_kind: kind === account.CreditKind.EXPORT ? 'export' : 'market_state',
    amount,
    left,
    granted_at_utc: toUtc(grantedTsMs),
    expires_at_utc: toUtcOrNull(expiresTsMs),
  }));
}

function dayOf(dayTsMs: number): string {
  return new Date(dayTsMs).toISOString().slice(0, 10);
}

const familyNamed = documentedWord('SpendRow', 'workload_family');

export function showSpendRows(rows: readonly account.UsageRow[]): Described<'SpendRow'>[] {
  return rows.map(({ dayTsMs, workloadFamily, method, route, keyId, accountId, calls, marketStateCredits, exportCredits }) => ({
    day: dayOf(dayTsMs),
    workload_family: familyNamed(workloadFamily),
    method,
    endpoint: route,
    key_id: textOrNull(keyId),
    account_id: textOrNull(accountId),
    calls,
    market_state_credits: marketStateCredits,
    export_credits: exportCredits,
  }));
}

interface Spend {
  calls: number;
  market_state_credits: number;
  export_credits: number;
}

/** Sums calls and credits of rows with the same labels. */
function addUp<Labels extends object>(rows: readonly account.UsageRow[], labelsOf: (row: account.UsageRow) => Labels): (Labels & Spend)[] {
  const sums = new Map<string, Labels & Spend>();
  for (const row of rows) {
    const labels = labelsOf(row);
    const place = JSON.stringify(labels);
    const sum = sums.get(place) ?? { ...labels, calls: 0, market_state_credits: 0, export_credits: 0 };
    sum.calls += row.calls;
    sum.market_state_credits += row.marketStateCredits;
    sum.export_credits += row.exportCredits;
    sums.set(place, sum);
  }
  return [...sums.values()];
}

/** Sums by caller, largest spend first. */
export function showSpendByKey(rows: readonly account.UsageRow[]): Described<'KeySpend'>[] {
  const callerOf = ({ keyId, accountId }: account.UsageRow) => {
    if (keyId !== '') return 'key' as const;
    return accountId === '' ? ('service' as const) : ('session' as const);
  };
  const sums = addUp(rows, (row) => ({ caller: callerOf(row), key_id: textOrNull(row.keyId), account_id: textOrNull(row.accountId) }));
  const total = (sum: Spend): number => sum.market_state_credits + sum.export_credits;
  return sums.sort((a, b) => total(b) - total(a) || b.calls - a.calls);
}

/** Sums by day and family, newest day first. */
export function showSpendByFamily(rows: readonly account.UsageRow[]): Described<'FamilySpend'>[] {
  const sums = addUp(rows, (row) => ({ day: dayOf(row.dayTsMs), workload_family: familyNamed(row.workloadFamily) }));
  return sums.sort((a, b) => (a.day === b.day ? (a.workload_family < b.workload_family ? -1 : 1) : a.day < b.day ? 1 : -1));
}

/** Default window length of the usage without `from`. */
const SPAN_MS = 31 * DAY_MS;

/** Balances of the tenant or one of its keys; the ceiling is that key's, or else the calling key's. */
export function listUsage({ credits, meter, now }: UsageDeps): Handler<'listUsage'> {
  return async (call) => {
    const { tenantId, keyId } = grantOf(call);
    const { query } = call.input;
    const toTsMs = parseInstant(query.to) ?? now() + 1;
    const fromTsMs = parseInstant(query.from) ?? Math.max(0, toTsMs - SPAN_MS);
    const workloadFamily = query.workload_family;
    const wantedKeyId = query.key_id === '' ? undefined : query.key_id;
    const window = { tenantId, fromTsMs, toTsMs, workloadFamily, keyId: wantedKeyId };
    await meter.posted(tenantId);
    const [{ balances, grants, ceiling }, { rows }, { receipts, nextCursor }] = await Promise.all([
      credits.call.getBalances({ tenantId, keyId: wantedKeyId ?? keyId ?? undefined }),
      credits.call.getUsage(window),
      credits.call.listReceipts({ ...window, receiptId: '', requestId: '', limit: query.limit, cursor: query.cursor }),
    ]);
    const fields = {
      from_utc: toUtc(fromTsMs),
      to_utc: toUtc(toTsMs),
      balances: showBalances(balances),
      grants: showGrants(grants),
      credit_ceiling: showCeiling(ceiling),
      spend_by_family: showSpendByFamily(rows),
      spend_by_key: showSpendByKey(rows),
      spend: showSpendRows(rows),
      receipts: receipts.map(showReceipt),
      next_cursor: nextCursor === '' ? null : nextCursor,
    };
    return accountAnswer(call, fields, 'Current credits in the ledger.');
  };
}
