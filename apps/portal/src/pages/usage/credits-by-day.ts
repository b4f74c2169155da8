import type { Schemas } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { utcDay } from '../../time/clock';

type CreditKind = 'market_state' | 'export';

export interface SpendLine {
  readonly id: string;
  readonly name: string;
  /** Oldest first. */
  readonly days: readonly number[];
  readonly total: number;
  readonly calls: number;
}

const DAY_MS = 86_400_000;

/** UTC days such as `2026-11-25`, oldest first, including the one in which the window starts. */
export function daysOf(fromUtc: string, toUtc: string): readonly string[] {
  const days: string[] = [];
  for (let ms = Math.floor(Date.parse(fromUtc) / DAY_MS) * DAY_MS; ms < Date.parse(toUtc); ms += DAY_MS) days.push(utcDay(ms));
  return days;
}

/** A key by its name if known, an account in the browser, or the service itself. */
function callerOf(row: Schemas['SpendRow'], keyNames: ReadonlyMap<string, string>): readonly [id: string, name: string] {
  if (row.key_id !== null) return [row.key_id, keyNames.get(row.key_id) ?? row.key_id];
  return row.account_id === null ? ['service', 'without a call'] : [row.account_id, 'in the browser'];
}

interface Grouping {
  readonly by: 'family' | 'key';
  readonly credit: CreditKind;
  readonly days: readonly string[];
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Highest total first; lines without spend are left out. */
export function spendLines(rows: readonly Schemas['SpendRow'][], { by, credit, days, keyNames }: Grouping): readonly SpendLine[] {
  const at = new Map(days.map((day, index) => [day, index]));
  const lines = new Map<string, { readonly name: string; readonly days: number[]; calls: number }>();
  for (const row of rows) {
    const day = at.get(row.day);
    if (day === undefined) continue;
    const [id, name] = by === 'family' ? [row.workload_family, words(row.workload_family)] : callerOf(row, keyNames);
    const line = lines.get(id) ?? { name, days: days.map(() => 0), calls: 0 };
    lines.set(id, line);
    line.days[day] = (line.days[day] ?? 0) + (credit === 'export' ? row.export_credits : row.market_state_credits);
    line.calls += row.calls;
  }
  return [...lines]
    .map(([id, line]) => ({ id, ...line, total: line.days.reduce((sum, each) => sum + each, 0) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
}

export function sumOf(lines: readonly SpendLine[], days: readonly string[]): SpendLine {
  return {
    id: 'all',
    name: 'all',
    days: days.map((_day, index) => lines.reduce((sum, line) => sum + (line.days[index] ?? 0), 0)),
    total: lines.reduce((sum, line) => sum + line.total, 0),
    calls: lines.reduce((sum, line) => sum + line.calls, 0),
  };
}

export interface BalanceLine {
  readonly kind: string;
  readonly atStart: number;
  readonly days: readonly BalanceDay[];
  /** Totals over the days: `atStart` + `granted` − `charged` − `expired` equals the last day's `left`. */
  readonly granted: number;
  readonly charged: number;
  readonly expired: number;
}

interface BalanceDay extends Pick<Schemas['BalanceStep'], 'granted' | 'charged' | 'expired'> {
  readonly day: string;
  /** Balance at the end of the day, or now; includes reserved credits. */
  readonly left: number;
}

const wholeOf = ({ available, held, leased_to_gateways: leased }: Schemas['BalanceAt']): number => available + held + leased;

export function balanceLines({ opening, rows }: Pick<Schemas['BalanceHistory'], 'opening' | 'rows'>): readonly BalanceLine[] {
  return opening
    .map((start): BalanceLine => {
      const own = rows.filter(({ credit_kind: kind }) => kind === start.credit_kind);
      const sumOf = (name: 'granted' | 'charged' | 'expired'): number => own.reduce((sum, row) => sum + row[name], 0);
      return {
        kind: start.credit_kind,
        atStart: wholeOf(start),
        days: own.map((row) => {
          const { from_utc: fromUtc, granted, charged, expired } = row;
          return { day: fromUtc.slice(0, 10), left: wholeOf(row), granted, charged, expired };
        }),
        granted: sumOf('granted'),
        charged: sumOf('charged'),
        expired: sumOf('expired'),
      };
    })
    .filter(({ atStart, granted }) => atStart + granted > 0);
}
