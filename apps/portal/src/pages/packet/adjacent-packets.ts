import { price, words } from '@market-state/packet-figures';
import { PACKET_MS } from '../../packets/live-markets';
import type { LineageRow, Workbench } from './packet-queries';
import { COMPOSITE_NAMES, severityWord, stateLabel } from '../../packets/words';

interface Difference {
  readonly field: string;
  readonly other: string;
  readonly own: string;
  /** Null if both are equal or not numbers. */
  readonly change: string | null;
  readonly isSame: boolean;
}

type Known = Pick<
  LineageRow,
  | 'state'
  | 'winner_state'
  | 'event_class'
  | 'market_read_direction'
  | 'severity_score'
  | 'severity_class'
  | 'novelty_score'
  | 'contradiction_score'
  | 'quality_score'
  | 'gap_flags'
  | 'mid_price'
>;

interface Compared extends Known {
  readonly confidence_score: number | null;
  readonly scores: Readonly<Record<(typeof COMPOSITE_NAMES)[number][0], number | null>>;
}

const NOT_REPORTED = 'not reported';

export function differencesOf(other: Compared, own: Compared): readonly Difference[] {
  return [
    text('published state', other, own, ({ state }) => stateLabel(state)),
    text('raw winner', other, own, ({ winner_state: winner }) => stateLabel(winner)),
    text('event class', other, own, ({ event_class: name }) => words(name)),
    text('direction', other, own, ({ market_read_direction: name }) => words(name)),
    number('mid, USD', other.mid_price, own.mid_price, price),
    number('severity', other.severity_score, own.severity_score),
    text('severity class', other, own, ({ severity_class: name }) => severityWord(name)),
    number('confidence', other.confidence_score, own.confidence_score),
    number('novelty', other.novelty_score, own.novelty_score),
    number('contradiction', other.contradiction_score, own.contradiction_score),
    number('quality, 0–100', other.quality_score, own.quality_score, String),
    text('gap flags', other, own, ({ gap_flags: flags }) => flags.map(words).join(', ') || 'none'),
    ...COMPOSITE_NAMES.map(([name, title]) => number(title.toLowerCase(), other.scores[name], own.scores[name])),
  ];
}

function text(field: string, other: Compared, own: Compared, of: (row: Compared) => string): Difference {
  const [one, two] = [of(other), of(own)];
  return { field, other: one, own: two, change: null, isSame: one === two };
}

function number(
  field: string,
  other: number | null,
  own: number | null,
  format: (value: number) => string = (value) => value.toFixed(2),
): Difference {
  const shown = (value: number | null): string => (value === null ? NOT_REPORTED : format(value));
  const change = other === null || own === null || other === own ? null : signed(own - other, decimalsOf(format(own)));
  return { field, other: shown(other), own: shown(own), change, isSame: other === own };
}

function decimalsOf(shown: string): number {
  return shown.split('.')[1]?.length ?? 0;
}

function signed(change: number, decimals: number): string {
  const sign = change < 0 ? '−' : '+';
  const size = Math.abs(change).toFixed(decimals);
  return Number(size) === 0 ? `less than ${sign}${(10 ** -decimals).toFixed(decimals)}` : `${sign}${size}`;
}

/** Negative offsets precede the page's packet. */
export interface AdjacentPacket {
  readonly row: LineageRow;
  readonly offset: number;
}

export function adjacentPacketsOf({ before, after }: Workbench['lineage']): readonly AdjacentPacket[] {
  return [
    ...before.rows.map((row, index) => ({ row, offset: index - before.rows.length })),
    ...after.rows.map((row, index) => ({ row, offset: index + 1 })),
  ];
}

export function adjacentEventIds(adjacentPackets: readonly AdjacentPacket[]): {
  readonly previous: string | null;
  readonly next: string | null;
} {
  const idAt = (offset: number): string | null => adjacentPackets.find((each) => each.offset === offset)?.row.event_id ?? null;
  return { previous: idAt(-1), next: idAt(1) };
}

/** Signed distance between windows: `−10 s`, `+2 min`. */
export function distanceWords(fromMs: number, toMs: number): string {
  const seconds = Math.round((toMs - fromMs) / 1_000);
  const size = Math.abs(seconds);
  const words = size < 60 ? `${size} s` : size % 60 === 0 ? `${size / 60} min` : `${Math.floor(size / 60)} min ${size % 60} s`;
  return `${seconds < 0 ? '−' : '+'}${words}`;
}

export function missingBetween(fromUtc: string, toUtc: string): number {
  return Math.max(0, Math.round((Date.parse(toUtc) - Date.parse(fromUtc)) / PACKET_MS) - 1);
}
