import { words } from '@market-state/packet-figures';
import type { BoardRow } from '../../packets/board';

/** What rows are sorted by. */
export const ORDERS = ['symbol', 'age', 'margin', 'severity', 'confidence'] as const;
export type Order = (typeof ORDERS)[number];

const VALUES: Readonly<Record<Exclude<Order, 'symbol'>, (row: BoardRow) => number>> = {
  age: ({ packet }) => packet.state_age_packets,
  margin: ({ packet }) => packet.state_margin,
  severity: ({ packet }) => packet.severity.score,
  confidence: ({ packet }) => packet.confidence.score,
};

/** What of a row a filter finds. */
function textOf({ symbol, packet }: BoardRow): string {
  const {
    state_label: label,
    event_class: eventClass,
    severity,
    gap_flags: flags,
    quality_class: quality,
    response_state: source,
  } = packet;
  return [symbol, label, eventClass, severity.severity_class, quality, source, ...flags].map(words).join(' ').toLowerCase();
}

/** Rows that have every word of the filter; pinned ones first, then the largest, equal ones by symbol. */
export function orderRows(rows: readonly BoardRow[], order: Order, filter: string, pinned: readonly string[]): readonly BoardRow[] {
  const asked = words(filter)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const pinOf = ({ symbol }: BoardRow): number => (pinned.includes(symbol) ? 0 : 1);
  const valueOf = order === 'symbol' ? () => 0 : VALUES[order];
  return rows
    .filter((row) => asked.every((word) => textOf(row).includes(word)))
    .sort((a, b) => pinOf(a) - pinOf(b) || valueOf(b) - valueOf(a) || a.symbol.localeCompare(b.symbol));
}
