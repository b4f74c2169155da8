import type { Schemas } from '@market-state/client';
import { type StateReading, words } from '@market-state/packet-figures';

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

export type CompactPacket = Schemas['CompactPacket'];

/** How far back a board keeps readings, milliseconds. */
export const BOARD_SPAN_MS = 3_600_000;

/** What is known of one symbol: its newest packet, and the states that it published in the last hour, oldest first. */
export interface BoardRow {
  readonly symbol: string;
  readonly packet: CompactPacket;
  readonly readings: readonly StateReading[];
  /** False while the packets before the newest one are not loaded. */
  readonly isPastLoaded: boolean;
  /** When the newest packet came in, by this machine's clock; null where it was asked for. */
  readonly receivedAtMs: number | null;
}

/** Rows by symbol, in the order in which symbols came. */
export type Board = ReadonlyMap<string, BoardRow>;

const readingOf = ({
  window_end_utc: end,
  state,
  state_label: label,
}: Pick<CompactPacket, 'window_end_utc' | 'state' | 'state_label'>): StateReading => ({
  windowEndMs: Date.parse(end),
  state,
  stateLabel: label,
});

/** The board with a packet: an earlier one than is known changes nothing but the past. */
export function withPacket(board: Board, packet: CompactPacket, receivedAtMs: number | null = null): Board {
  const before = board.get(packet.symbol);
  const isNewest = before === undefined || Date.parse(packet.window_end_utc) >= Date.parse(before.packet.window_end_utc);
  const row: BoardRow = {
    symbol: packet.symbol,
    packet: isNewest ? packet : before.packet,
    readings: merged(before?.readings ?? [], [readingOf(packet)]),
    isPastLoaded: before?.isPastLoaded ?? false,
    receivedAtMs: isNewest ? receivedAtMs : before.receivedAtMs,
  };
  return new Map(board).set(packet.symbol, row);
}

/** The board with what a symbol published earlier; nothing changes for a symbol that is not on it. */
export function withPast(board: Board, symbol: string, past: readonly Parameters<typeof readingOf>[0][]): Board {
  const before = board.get(symbol);
  if (before === undefined) return board;
  return new Map(board).set(symbol, { ...before, readings: merged(past.map(readingOf), before.readings), isPastLoaded: true });
}

/** Readings in order, each window once, no older than the board's span. */
function merged(one: readonly StateReading[], other: readonly StateReading[]): readonly StateReading[] {
  const byWindow = new Map([...one, ...other].map((reading) => [reading.windowEndMs, reading]));
  const all = [...byWindow.values()].sort((a, b) => a.windowEndMs - b.windowEndMs);
  const newestMs = all.at(-1)?.windowEndMs ?? 0;
  return all.filter(({ windowEndMs }) => windowEndMs > newestMs - BOARD_SPAN_MS);
}

/** Time since the first packet of the state that a packet is in, milliseconds. */
export function stateAgeMs({ state_age_packets: packets }: Pick<CompactPacket, 'state_age_packets'>): number {
  return packets * PACKET_MS;
}

/** A packet each ten seconds. */
export const PACKET_MS = 10_000;
/** After its window a packet counts as fresh for so long, milliseconds. */
const FRESH_MS = 25_000;

/** Whether a packet is the newest that can be expected, at an instant of the service's clock. */
export function isFresh({ window_end_utc: end }: Pick<CompactPacket, 'window_end_utc'>, atMs: number): boolean {
  return atMs < Date.parse(end) + FRESH_MS;
}
