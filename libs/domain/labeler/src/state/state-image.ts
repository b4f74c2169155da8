import type { LaneMemory, PreviousPacket } from '../label/memory';
import type { Dwell } from '../decision/publish';
import type { SessionStateMemory } from '../decision/session-state';
import type { HistoryBlock } from '../lanes/history-lane';
import type { Chain, ClosedWindow } from '../reducer/labeler-state';
import type { NearDepth } from '../features/ranges';
import { type RangeMeans, COMPOSITES, type CompositeName } from '../read';
import type { GapSpan } from '../sources/gap-ledger';
import type { VenueFacts } from '../sources/families';
import type { Calibration } from '../thresholds/calibration';
import type { HeldMemories } from '../thresholds/held';
import type { CurrentBook } from '../windows/book-window';
import type { CutChannel } from '../windows/cuts';
import type { PacketTrace } from '../lanes/lane-read';

/** Version of the stored form; other versions are not restored. */
export const STATE_FORMAT = 'market_state_labeler_state.v4';

export interface StateImage {
  readonly format: string;
  readonly symbol: string;
  readonly policyDigest: string;
  readonly log: {
    readonly ordinal: number;
    readonly epoch: number;
    readonly closingLagMs: number | null;
    readonly lastTickMs: number | null;
    readonly nextWindowEndMs: number | null;
    readonly firstWindowStartMs: number | null;
    /** Encoded events, base64. */
    readonly pending: readonly string[];
    readonly statuses: readonly string[];
    /** Alternating identity and exchange time. */
    readonly seen: readonly (string | number)[];
    readonly lateSeen: readonly (string | number)[];
    readonly lateSinceClose: number;
    readonly lateTotal: number;
    readonly facts: VenueFacts | null;
    readonly gaps: readonly GapSpan[];
    readonly openCuts: readonly number[];
    readonly closed: readonly ClosedWindow[];
  };
  readonly windows: {
    readonly books: { readonly records: Table; readonly current: CurrentBook | null; readonly stampsMs: readonly number[] };
    readonly trades: {
      readonly records: Table;
      readonly agedSizes: readonly number[];
      readonly agedTotal: number;
      readonly lastTsMs: number | null;
    };
    readonly context: {
      readonly openInterest: Table;
      readonly lastTsMs: number | null;
      readonly fundingRate: number | null;
      readonly markPrice: number | null;
    };
    readonly liquidations: { readonly records: Table; readonly lastTsMs: number | null };
    readonly cuts: Readonly<Record<CutChannel, readonly number[]>>;
  };
  readonly memory: {
    readonly packetsMade: number;
    readonly history: Table;
    readonly session: Table;
    readonly returns: readonly number[];
    readonly calibration: Calibration;
    readonly held: HeldMemories;
    readonly dwell: Dwell | null;
    readonly sessionState: SessionStateMemory | null;
    readonly ranges: RangeMeans | null;
    readonly nearDepth: NearDepth | null;
    readonly previous: PreviousPacket | null;
    readonly noveltyTags: readonly (readonly string[])[];
    readonly sessionLane: LaneMemory;
    readonly historyLane: LaneMemory;
    readonly historyBlocks: readonly HistoryBlock[];
  };
  readonly chain: Chain;
}

type Cell = number | string | boolean | null;

/** Rows of one shape without their names, row by row. */
interface Table {
  readonly columns: readonly string[];
  readonly cells: readonly Cell[];
}

type CellKey<T> = { [K in keyof T]-?: T[K] extends Cell ? K : never }[keyof T];

/** Packet trace with its scores inlined. Bit i of `readable` is set if composite i of the table could be read. */
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

export function packTable<T extends object>(rows: Iterable<T>, columns: readonly CellKey<T>[]): Table {
  const cells: Cell[] = [];
  for (const row of rows) for (const column of columns) cells.push(row[column] as Cell);
  return { columns: columns.map(String), cells };
}

export function unpackTable<T extends object>({ columns, cells }: Table): T[] {
  if (columns.length === 0 || cells.length % columns.length !== 0) throw new RangeError('a table with a broken row');
  const rows: T[] = [];
  for (let start = 0; start < cells.length; start += columns.length) {
    const row: Record<string, Cell> = {};
    columns.forEach((column, offset) => (row[column] = cells[start + offset] ?? null));
    rows.push(row as T);
  }
  return rows;
}
