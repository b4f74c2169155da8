import type { account } from '@market-state/contracts';
import type { Described } from '../../../serving/openapi/described';
import { documentedWord } from '../../../serving/openapi/documented-word';

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

/** The same, added up by day and family; newest day first. */
export function showSpendByFamily(rows: readonly account.UsageRow[]): Described<'FamilySpend'>[] {
  const sums = new Map<string, { -readonly [Field in keyof Described<'FamilySpend'>]: Described<'FamilySpend'>[Field] }>();
  for (const row of rows) {
    const day = dayOf(row.dayTsMs);
    const place = `${day} ${row.workloadFamily}`;
    const sum = sums.get(place) ?? {
      day,
      workload_family: familyNamed(row.workloadFamily),
      calls: 0,
      market_state_credits: 0,
      export_credits: 0,
    };
    sum.calls += row.calls;
    sum.market_state_credits += row.marketStateCredits;
    sum.export_credits += row.exportCredits;
    sums.set(place, sum);
  }
  return [...sums.values()].sort((a, b) => (a.day === b.day ? (a.workload_family < b.workload_family ? -1 : 1) : a.day < b.day ? 1 : -1));
}
