import type { account } from '@market-state/contracts';
import { type Described, documentedWord } from '../../../serving/openapi/described';

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function dayOf(dayTsMs: number): string {
  return new Date(dayTsMs).toISOString().slice(0, 10);
}

const familyNamed = documentedWord('SpendRow', 'workload_family');

/** Calls and credits of one day and family, by key and route. */
export function showSpendRows(rows: readonly account.UsageRow[]): Described<'SpendRow'>[] {
  return rows.map(({ dayTsMs, workloadFamily, method, route, keyId, accountId, calls, marketStateCredits, exportCredits }) => ({
    day: dayOf(dayTsMs),
    workload_family: familyNamed(workloadFamily),
    method,
    endpoint: route,
    key_id: orNull(keyId),
    account_id: orNull(accountId),
    calls,
    market_state_credits: marketStateCredits,
    export_credits: exportCredits,
  }));
}

/** Calls and credits. */
interface Spend {
  calls: number;
  market_state_credits: number;
  export_credits: number;
}

/** Calls and credits of the rows that have the same labels. */
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

/** The same, added up by who spent; the most first. */
export function showSpendByKey(rows: readonly account.UsageRow[]): Described<'KeySpend'>[] {
  const callerOf = ({ keyId, accountId }: account.UsageRow) => {
    if (keyId !== '') return 'key' as const;
    return accountId === '' ? ('service' as const) : ('session' as const);
  };
  const sums = addUp(rows, (row) => ({ caller: callerOf(row), key_id: orNull(row.keyId), account_id: orNull(row.accountId) }));
  const total = (sum: Spend): number => sum.market_state_credits + sum.export_credits;
  return sums.sort((a, b) => total(b) - total(a) || b.calls - a.calls);
}

/** The same, added up by day and family; newest day first. */
export function showSpendByFamily(rows: readonly account.UsageRow[]): Described<'FamilySpend'>[] {
  const sums = addUp(rows, (row) => ({ day: dayOf(row.dayTsMs), workload_family: familyNamed(row.workloadFamily) }));
  return sums.sort((a, b) => (a.day === b.day ? (a.workload_family < b.workload_family ? -1 : 1) : a.day < b.day ? 1 : -1));
}
