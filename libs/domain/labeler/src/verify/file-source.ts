import { EVENT_ROW_SCHEMA, eventOfRow, EventRowError, fromBase64, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import type { CheckpointLine } from '../packet-row/lines';
import { type FileIndex, type LineFile, readSchemaLine } from './file-index';
import type { RetainedCheckpoint, RetainedPacket } from './retained';
import { unusable, refuseEmptySpan, type Span, type SymbolSource } from './symbol-source';

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
