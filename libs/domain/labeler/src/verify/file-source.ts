import { EVENT_ROW_SCHEMA, eventOfRow, EventRowError, fromBase64, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import {
  CHECKPOINT_SCHEMA,
  readCheckpointLine,
  type CheckpointLine,
  LineError,
  PACKET_ROW_SCHEMA,
  readPacketRow,
  readSigningKeyLine,
  SIGNING_KEY_SCHEMA,
  type SigningKey,
} from '../packet-row/lines';
import {
  retainedPacketOf,
  type RetainedPacket,
  unusable,
  SourceError,
  type RetainedCheckpoint,
  refuseEmptySpan,
  type Span,
  type SymbolSource,
} from './symbol-source';

const SCHEMAS = [EVENT_ROW_SCHEMA, PACKET_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA] as const;
type LineSchema = (typeof SCHEMAS)[number];

interface SchemaLine {
  readonly schema: LineSchema;
  readonly json: () => unknown;
}

/** Prefix of our own event rows, most of all lines, which need no parsing. */
const ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

/** @throws SourceError naming file and line if it is not a JSON object of a known schema */
function readSchemaLine(line: string, place: () => string): SchemaLine {
  if (line.startsWith(ROW_START)) return { schema: EVENT_ROW_SCHEMA, json: () => parse(line, place) };
  const json = parse(line, place);
  const named = typeof json === 'object' && json !== null ? (json as { readonly schema?: unknown }).schema : undefined;
  const schema = SCHEMAS.find((known) => known === named);
  if (schema !== undefined) return { schema, json: () => json };
  const names = named === undefined ? 'no schema' : `schema ${JSON.stringify(named)}`;
  throw new SourceError('foreign', [`${place()}: the line names ${names}; supported are ${SCHEMAS.join(', ')}.`]);
}

function parse(line: string, place: () => string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SourceError('foreign', [`${place()}: the line is not JSON (${(error as Error).message}).`]);
  }
}

export interface LineFile {
  readonly name: string;
  /** Batches of lines without line ends; each iteration reads them again. */
  readonly lines: AsyncIterable<readonly string[]>;
}

/** Lines of each market. */
export interface FileIndex {
  readonly packets: ReadonlyMap<string, readonly RetainedPacket[]>;
  readonly checkpoints: ReadonlyMap<string, readonly CheckpointLine[]>;
  readonly keys: ReadonlyMap<string, SigningKey>;
  readonly rowFiles: ReadonlyMap<string, readonly RowFile[]>;
  /** A row has symbol and venue; its market is at the primary venue unless packets or checkpoints name another one. */
  marketOfRow(symbol: string, venue: string): string;
}

interface RowFile {
  readonly file: LineFile;
  readonly firstOrdinal: number;
}

/**
 * Reads every file once.
 * @throws SourceError naming file and line of the first unreadable line
 */
export async function indexFiles(files: readonly LineFile[], onProgress: (name: string, lineTotal: number) => void): Promise<FileIndex> {
  const index = new IndexBuilder();
  for (const file of files) {
    let lineNumber = 0;
    for await (const lines of file.lines) {
      for (const line of lines) {
        lineNumber++;
        if (line !== '') index.take(file, line, lineNumber);
      }
      onProgress(file.name, lineNumber);
    }
  }
  return index.finish();
}

class IndexBuilder {
  private readonly packets = new Map<string, RetainedPacket[]>();
  private readonly checkpoints = new Map<string, CheckpointLine[]>();
  private readonly keys = new Map<string, SigningKey>();
  private readonly rowFiles = new Map<string, { readonly symbol: string; readonly venue: string; readonly files: RowFile[] }>();

  take(file: LineFile, line: string, lineNumber: number): void {
    const place = (): string => `${file.name}:${lineNumber}`;
    const read = readSchemaLine(line, place);
    try {
      this.takeLine(file, lineNumber, line, read);
    } catch (error) {
      if (error instanceof LineError) throw unusable(...error.faults.map((fault) => `${place()}: ${fault}`));
      throw error;
    }
  }

  finish(): FileIndex {
    for (const packets of this.packets.values()) packets.sort((one, other) => one.windowEndMs - other.windowEndMs);
    for (const checkpoints of this.checkpoints.values()) checkpoints.sort((one, other) => one.ordinal - other.ordinal);
    const { packets, checkpoints, keys } = this;
    const marketOfRow = (symbol: string, venue: string): string => {
      const market = `${symbol}@${venue}`;
      return packets.has(market) || checkpoints.has(market) ? market : symbol;
    };
    const rowFiles = new Map<string, RowFile[]>();
    for (const { symbol, venue, files } of this.rowFiles.values()) listOf(rowFiles, marketOfRow(symbol, venue)).push(...files);
    for (const files of rowFiles.values()) files.sort((one, other) => one.firstOrdinal - other.firstOrdinal);
    return { packets, checkpoints, keys, rowFiles, marketOfRow };
  }

  private takeLine(file: LineFile, lineNumber: number, line: string, { schema, json }: SchemaLine): void {
    switch (schema) {
      case EVENT_ROW_SCHEMA:
        this.takeRow(file, line, json);
        return;
      case PACKET_ROW_SCHEMA: {
        const row = readPacketRow(json());
        listOf(this.packets, row.symbol).push(retainedPacketOf(row, () => bodyAt(file, lineNumber)));
        return;
      }
      case CHECKPOINT_SCHEMA: {
        const checkpoint = readCheckpointLine(json());
        listOf(this.checkpoints, checkpoint.symbol).push(checkpoint);
        return;
      }
      case SIGNING_KEY_SCHEMA: {
        const key = readSigningKeyLine(json());
        this.keys.set(key.keyId, key);
        return;
      }
    }
  }

  /** Rows are parsed in full only for re-derivation. */
  private takeRow(file: LineFile, line: string, json: () => unknown): void {
    const [, venue, symbol] = ROW_NAMES.exec(line) ?? namesOf(json());
    const name = `${symbol}@${venue}`;
    const known = this.rowFiles.get(name) ?? { symbol: String(symbol), venue: String(venue), files: [] };
    this.rowFiles.set(name, known);
    if (known.files.some((each) => each.file === file)) return;
    known.files.push({ file, firstOrdinal: Number((json() as Record<string, unknown>)['ordinal']) });
  }
}

const ROW_NAMES = /"venue":"([^"\\]*)","symbol":"([^"\\]*)"/;

function namesOf(row: unknown): readonly [unknown, unknown, unknown] {
  const { venue, symbol } = row as Record<string, unknown>;
  return [row, venue, symbol];
}

async function bodyAt(file: LineFile, lineNumber: number): Promise<string> {
  let before = 0;
  for await (const lines of file.lines) {
    const line = lines[lineNumber - before - 1];
    if (line !== undefined) return JSON.stringify(readPacketRow(JSON.parse(line)).packet);
    before += lines.length;
  }
  throw unusable(`${file.name}: it changed while being read`);
}

function listOf<T>(lists: Map<string, T[]>, symbol: string): T[] {
  const list = lists.get(symbol) ?? [];
  lists.set(symbol, list);
  return list;
}

/**
 * One market's data from files. Missing bounds default to those of the packets.
 * @throws SourceError if `from` is after the newest packet
 */
export function fileSource(index: FileIndex, symbol: string, asked: Partial<Span>): SymbolSource {
  const packets = index.packets.get(symbol) ?? [];
  const rowFiles = index.rowFiles.get(symbol) ?? [];
  const checkpoints = index.checkpoints.get(symbol) ?? [];
  const firstOrdinal = rowFiles[0]?.firstOrdinal ?? Number.POSITIVE_INFINITY;
  const newestRetainedMs = packets.at(-1)?.windowEndMs ?? 0;
  const span = { fromMs: asked.fromMs ?? packets[0]?.windowEndMs ?? 0, toMs: asked.toMs ?? newestRetainedMs + WINDOW_MS };
  refuseEmptySpan(symbol, span, newestRetainedMs);
  return {
    symbol,
    span,
    newestRetainedMs,
    awaitingMax: 0,
    altered: [],
    checkpoints,
    reaches: (afterOrdinal) => (afterOrdinal === 0 ? firstOrdinal <= 1 || beginsChain(packets[0]) : firstOrdinal <= afterOrdinal + 1),
    stateGzip: async (checkpoint) => stateGzipOf(checkpoints, checkpoint),
    packets: ({ fromMs, toMs }) => inTurn(packets.filter(({ windowEndMs }) => windowEndMs >= fromMs && windowEndMs < toMs)),
    entries: (afterOrdinal) => entriesOf(index, symbol, afterOrdinal),
  };
}

/** A chain may start after the log's first entry if older entries were deleted. */
function beginsChain(packet: RetainedPacket | undefined): boolean {
  return packet?.previousLineageDigest !== null && /^0+$/.test(packet?.previousLineageDigest ?? '');
}

function stateGzipOf(lines: readonly CheckpointLine[], checkpoint: RetainedCheckpoint): Uint8Array {
  const line = lines.find((known) => known === checkpoint);
  if (line === undefined) throw new Error('a checkpoint of another source');
  return fromBase64(line.state) ?? new Uint8Array();
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function* entriesOf(index: FileIndex, market: string, afterOrdinal: number): AsyncGenerator<readonly MarketEvent[]> {
  for (const { file } of index.rowFiles.get(market) ?? []) yield* rowsOf(file, index, market, afterOrdinal);
}

async function* rowsOf(file: LineFile, index: FileIndex, market: string, afterOrdinal: number): AsyncGenerator<readonly MarketEvent[]> {
  let lineNumber = 0;
  for await (const lines of file.lines) {
    const events: MarketEvent[] = [];
    for (const line of lines) {
      lineNumber++;
      if (line === '') continue;
      const event = eventOf(line, index, market, () => `${file.name}:${lineNumber}`);
      if (event !== undefined && event.ordinal > afterOrdinal) events.push(event);
    }
    yield events;
  }
}

function eventOf(line: string, index: FileIndex, market: string, place: () => string): MarketEvent | undefined {
  const read = readSchemaLine(line, place);
  if (read.schema !== EVENT_ROW_SCHEMA) return undefined;
  const json = read.json() as { readonly symbol?: unknown; readonly venue?: unknown };
  if (index.marketOfRow(String(json.symbol), String(json.venue)) !== market) return undefined;
  try {
    return eventOfRow(json);
  } catch (error) {
    if (!(error instanceof EventRowError)) throw error;
    throw unusable(...error.faults.map((fault) => `${place()}: ${fault}`));
  }
}
