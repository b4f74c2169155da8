import type { SymbolSource } from '../../status-components/source-ribbon';

/** Missing data in a review pack; unknown fields are ignored. */
export interface Review {
  readonly gapTotal: number;
  readonly gaps: readonly ReviewGap[];
  readonly days: readonly {
    readonly symbol: string;
    readonly date: string;
    readonly condition: string;
    readonly reasons: readonly string[];
  }[];
  readonly lateRows: number;
  readonly skewedRows: number;
  readonly uncheckedRows: number;
  readonly policyDigests: readonly string[];
}

export interface ReviewGap {
  readonly gapId: string;
  readonly symbol: string;
  /** Null for every channel. */
  readonly channel: string | null;
  readonly startMs: number;
  /** Null while the gap is open. */
  readonly endMs: number | null;
  readonly reason: string;
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as readonly Fields[]) : []);
const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const totalOf = (rows: readonly Fields[], name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);

export function readReview(pack: Fields): Review {
  const flagged = listOf(pack['flagged_rows']);
  return {
    gapTotal: Number(pack['gap_total'] ?? 0),
    gaps: listOf(pack['gaps']).map((gap) => ({
      gapId: String(gap['gap_id']),
      symbol: String(gap['symbol']),
      channel: gap['channel'] === null ? null : String(gap['channel']),
      startMs: Date.parse(String(gap['start_utc'])),
      endMs: gap['end_utc'] === null ? null : Date.parse(String(gap['end_utc'])),
      reason: String(gap['reason']),
    })),
    days: listOf(pack['days']).map((day) => ({
      symbol: String(day['symbol']),
      date: String(day['date']),
      condition: String(day['condition']),
      reasons: textsOf(day['reasons']),
    })),
    lateRows: totalOf(flagged, 'late'),
    skewedRows: totalOf(flagged, 'clock_skew'),
    uncheckedRows: Number(pack['unchecked_rows'] ?? 0),
    policyDigests: textsOf(pack['policy_digests']),
  };
}

/** Share of the span, 0 to 1; overlapping gaps count once. */
export function gapShare(gaps: readonly ReviewGap[], symbol: string, fromMs: number, toMs: number): number {
  const spans = gaps
    .filter((gap) => gap.symbol === symbol)
    .map(({ startMs, endMs }) => [Math.max(fromMs, startMs), Math.min(toMs, endMs ?? toMs)] as const)
    .filter(([start, end]) => start < end)
    .sort(([a], [b]) => a - b);
  let missingMs = 0;
  let doneMs = fromMs;
  for (const [start, end] of spans) {
    missingMs += Math.max(0, end - Math.max(start, doneMs));
    doneMs = Math.max(doneMs, end);
  }
  return missingMs / (toMs - fromMs);
}

export function sourcesOf(manifest: unknown): readonly SymbolSource[] {
  const { sources } = manifest as { readonly sources?: unknown };
  if (!Array.isArray(sources)) return [];
  return (sources as readonly Readonly<Record<string, unknown>>[]).map(({ symbol, source_kind: kind }) => ({
    symbol: String(symbol),
    source_kind: typeof kind === 'string' ? kind : null,
  }));
}
