import type { PacketTrace } from '../lanes/packet-trace';
import { COMPOSITES, type CompositeName } from '../read';
import { packTable, unpackTable, type CellKey, type Table } from './table';

/**
 * A packet's trace with its scores beside the rest; the signed p and f take names of their own. `readable` has bit i set where
 * composite i of the table could be read.
 */
type TraceRow = Omit<PacketTrace, 'scores' | 'available' | 'pressure' | 'flow'> &
  Readonly<Record<'signedPressure' | 'signedFlow' | 'readable' | CompositeName, number>>;

const COLUMNS: readonly CellKey<TraceRow>[] = [
  'windowEndMs',
  'winner',
  'state',
  'mid',
  'bookTsMs',
  'fresh',
  'signedPressure',
  'signedFlow',
  ...COMPOSITES,
  'readable',
  'spreadBps',
  'severity',
  'confidence',
  'volatilityShort',
  'volatilitySession',
];

export function packTraces(traces: Iterable<PacketTrace>): Table {
  const rows: TraceRow[] = [];
  for (const { scores, available, pressure, flow, ...rest } of traces) {
    const readable = COMPOSITES.reduce((bits, name, index) => bits + (available[name] ? 2 ** index : 0), 0);
    rows.push({ ...rest, signedPressure: pressure, signedFlow: flow, readable, ...scores });
  }
  return packTable(rows, COLUMNS);
}

export function unpackTraces(table: Table): PacketTrace[] {
  return unpackTable<TraceRow>(table).map((row) => ({
    windowEndMs: row.windowEndMs,
    winner: row.winner,
    state: row.state,
    mid: row.mid,
    bookTsMs: row.bookTsMs,
    fresh: row.fresh,
    pressure: row.signedPressure,
    flow: row.signedFlow,
    scores: Object.fromEntries(COMPOSITES.map((name) => [name, row[name]])) as Record<CompositeName, number>,
    available: Object.fromEntries(COMPOSITES.map((name, index) => [name, (row.readable & (2 ** index)) !== 0])) as Record<
      CompositeName,
      boolean
    >,
    spreadBps: row.spreadBps,
    severity: row.severity,
    confidence: row.confidence,
    volatilityShort: row.volatilityShort,
    volatilitySession: row.volatilitySession,
  }));
}
