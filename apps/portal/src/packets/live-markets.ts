import type { Schemas } from '@market-state/client';
import { type StateReading, words } from '@market-state/packet-figures';
import { marketWords } from './market-name';

export const ORDERS = ['symbol', 'age', 'margin', 'severity', 'confidence'] as const;
export type Order = (typeof ORDERS)[number];

const VALUES: Readonly<Record<Exclude<Order, 'symbol'>, (row: MarketRow) => number>> = {
  age: ({ packet }) => packet.state_age_packets,
  margin: ({ packet }) => packet.state_margin,
  severity: ({ packet }) => packet.severity.score,
  confidence: ({ packet }) => packet.confidence.score,
};

function textOf({ symbol, packet }: MarketRow): string {
  const {
    state_label: label,
    event_class: eventClass,
    severity,
    gap_flags: flags,
    quality_class: quality,
    response_state: source,
  } = packet;
  return [marketWords(symbol), label, eventClass, severity.severity_class, quality, source, ...flags].map(words).join(' ').toLowerCase();
}

/** Rows matching every word of the filter: pinned first, then descending, ties by symbol. */
export function orderRows(rows: readonly MarketRow[], order: Order, filter: string, pinned: readonly string[]): readonly MarketRow[] {
  const filterWords = words(filter)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const pinOf = ({ symbol }: MarketRow): number => (pinned.includes(symbol) ? 0 : 1);
  const valueOf = order === 'symbol' ? () => 0 : VALUES[order];
  return rows
    .filter((row) => filterWords.every((word) => textOf(row).includes(word)))
    .sort((a, b) => pinOf(a) - pinOf(b) || valueOf(b) - valueOf(a) || a.symbol.localeCompare(b.symbol));
}

export type CompactPacket = Schemas['CompactPacket'];

export const BOARD_SPAN_MS = 3_600_000;

export interface MarketRow {
  readonly symbol: string;
  readonly packet: CompactPacket;
  readonly readings: readonly StateReading[];
  readonly isPastLoaded: boolean;
  /** Local time; null if it came from a request. */
  readonly receivedAtMs: number | null;
}

export type MarketTable = ReadonlyMap<string, MarketRow>;

/** State of a packet, as a strip draws it. */
export const readingOf = ({
  window_end_utc: end,
  state,
  state_label: label,
}: Pick<CompactPacket, 'window_end_utc' | 'state' | 'state_label'>): StateReading => ({
  windowEndMs: Date.parse(end),
  state,
  stateLabel: label,
});

/** An out-of-order packet only changes the past. */
export function withPacket(markets: MarketTable, packet: CompactPacket, receivedAtMs: number | null = null): MarketTable {
  const before = markets.get(packet.symbol);
  const isNewest = before === undefined || Date.parse(packet.window_end_utc) >= Date.parse(before.packet.window_end_utc);
  const row: MarketRow = {
    symbol: packet.symbol,
    packet: isNewest ? packet : before.packet,
    readings: merged(before?.readings ?? [], [readingOf(packet)]),
    isPastLoaded: before?.isPastLoaded ?? false,
    receivedAtMs: isNewest ? receivedAtMs : before.receivedAtMs,
  };
  return new Map(markets).set(packet.symbol, row);
}

export function withPast(markets: MarketTable, symbol: string, past: readonly Parameters<typeof readingOf>[0][]): MarketTable {
  const before = markets.get(symbol);
  if (before === undefined) return markets;
  return new Map(markets).set(symbol, { ...before, readings: merged(past.map(readingOf), before.readings), isPastLoaded: true });
}

function merged(one: readonly StateReading[], other: readonly StateReading[]): readonly StateReading[] {
  const byWindow = new Map([...one, ...other].map((reading) => [reading.windowEndMs, reading]));
  const all = [...byWindow.values()].sort((a, b) => a.windowEndMs - b.windowEndMs);
  const newestMs = all.at(-1)?.windowEndMs ?? 0;
  return all.filter(({ windowEndMs }) => windowEndMs > newestMs - BOARD_SPAN_MS);
}

export function stateAgeMs({ state_age_packets: packets }: Pick<CompactPacket, 'state_age_packets'>): number {
  return packets * PACKET_MS;
}

export const PACKET_MS = 10_000;
/** Time after its window during which a packet counts as fresh. */
const FRESH_MS = 25_000;

export function isFresh({ window_end_utc: end }: Pick<CompactPacket, 'window_end_utc'>, atMs: number): boolean {
  return atMs < Date.parse(end) + FRESH_MS;
}
