import { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { Upstreams } from '../../clients/upstreams';
import { toUtc, parseInstant, toUtcOrNull, textOrNull } from '../../serving/meta/meta';
import type { Meter } from '../../serving/metering/meter';
import { showBalances, showCeiling } from '../../serving/answers/show-billing';
import { showReceipt } from './usage-receipts';
import { type Described, documentedWord } from '../../serving/openapi/document';

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

/** Default window length without `from`. */
const SPAN_MS = 31 * 86_400_000;

/** Balances of the tenant or one of its keys; the ceiling is that key's, or else the calling key's. */
export function listUsage({ credits }: Pick<Upstreams, 'credits'>, meter: Pick<Meter, 'posted'>, now: () => number): Handler<'listUsage'> {
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
