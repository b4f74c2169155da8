import type { Stability } from '@market-state/report';
import { wholeTable } from '../io/table';

/** What was measured, and on which packets. */
export interface StabilityRow extends Stability {
  /** The input's files, without their folders; null in the row of all inputs together. */
  readonly input: string | null;
  readonly symbol: string | null;
}

const TEXT_TITLES = ['input', 'symbol', 'largest state'];
const TITLES = [...TEXT_TITLES, 'its %', 'live s', 'flips/h', 'class/h', 'session/h', 'dwell s', 'not winner %', 'high %', 'rank corr.'];

/** The rows as a table. */
export function stabilityTable(rows: readonly StabilityRow[]): readonly string[] {
  return wholeTable(TITLES, rows.map(cellsOf), TEXT_TITLES.length);
}

function cellsOf(row: StabilityRow): readonly string[] {
  const [largest] = row.states;
  return [
    row.input ?? 'all together',
    row.symbol ?? '',
    largest?.value ?? '–',
    percent(largest?.share ?? null),
    String(row.liveSeconds),
    whole(row.flipsPerHour),
    whole(row.classChangesPerHour),
    whole(row.sessionChangesPerHour),
    whole(row.medianDwellSeconds),
    percent(row.notWinnerShare),
    percent(row.highShare),
    row.severityVolatilityCorrelation?.toFixed(2) ?? '–',
  ];
}

function percent(share: number | null): string {
  return whole(share === null ? null : 100 * share);
}

function whole(value: number | null): string {
  return value === null ? '–' : String(Math.round(value));
}
