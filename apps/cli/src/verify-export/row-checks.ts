import type { MarketState, Params } from '@market-state/client';
import { type LogDataset, PACKET_BODY_COLUMNS } from '@market-state/export-schema';
import { lineageDigest, sha256Hex, signatureOutcome, type SigningKey } from '@market-state/labeler';
import { type DataChannel, eventOfColumns, EventRowError, type NamedCells, rowLine } from '@market-state/market-data';
import type { Manifest } from './manifest';

type Candle = Readonly<Record<string, unknown>>;

/** Candles can't be checked without the API. */
export const uncheckedCandle: RowCheck = (cells) => ({ timeMs: Number(cells['open_ts_ms']), line: undefined, faults: [] });

export class CandleComparison {
  private readonly candles: AsyncIterator<Candle>;

  constructor(ms: MarketState, { request }: Manifest, symbol: string, signal: AbortSignal) {
    const [from, to, as_of] = [request.from_utc, request.to_utc, request.as_of_utc].map(String);
    const query = { symbol, tf: request.tf ?? '', from, to, as_of } as Params<'listCandles'>;
    this.candles = ms.candles.rows(query, { signal })[Symbol.asyncIterator]();
  }

  async check(cells: NamedCells): Promise<CheckedRow> {
    const timeMs = Number(cells['open_ts_ms']);
    const next = await this.candles.next();
    if (next.done === true) return { timeMs, line: undefined, faults: ['the API has no such candle'] };
    return { timeMs, line: undefined, faults: differences(cells, next.value) };
  }

  /** Candles of the API after the last row. */
  async restTotal(): Promise<number> {
    let total = 0;
    while ((await this.candles.next()).done !== true) total += 1;
    return total;
  }
}

function differences(cells: NamedCells, candle: Candle): string[] {
  return Object.entries(candle).flatMap(([name, value]) => {
    if (!(name in cells) || isSame(name, cells[name], value)) return [];
    return [`${name} is ${String(cells[name])}, the API has ${String(value)}`];
  });
}

/** In CSV every cell is text. */
function isSame(name: string, cell: unknown, value: unknown): boolean {
  if (value === null || cell === null || cell === undefined) return value === (cell ?? null);
  if (name.endsWith('_utc')) return Date.parse(String(cell)) === Date.parse(String(value));
  return String(cell) === String(value);
}

interface CheckedRow {
  readonly timeMs: number;
  /** Line to chain; undefined if the file lacks columns for it. */
  readonly line: string | undefined;
  /** One sentence per fault. */
  readonly faults: readonly string[];
}

/** Checks the rows of a symbol in order. */
export type RowCheck = (cells: NamedCells) => CheckedRow | Promise<CheckedRow>;

const CHANNELS: Readonly<Record<LogDataset, DataChannel>> = {
  book: 'book',
  trades: 'trade',
  context: 'context',
  liquidations: 'liquidation',
};

/** Converts rows of the log back to their lines. */
export function logRowCheck(dataset: LogDataset): RowCheck {
  const channel = CHANNELS[dataset];
  return (cells) => {
    const timeMs = Number(cells['exchange_ts_ms']);
    try {
      const event = eventOfColumns(channel, cells);
      return { timeMs, line: event && rowLine(event), faults: [] };
    } catch (error) {
      if (!(error instanceof EventRowError)) throw error;
      return { timeMs, line: undefined, faults: error.faults };
    }
  };
}

type Body = Readonly<Record<string, unknown>>;

/** Columns that the body repeats under the same name. */
const SAME_NAME = ['symbol', 'packet_id', 'event_id', 'input_digest', 'policy_digest'];

/**
 * Checks digest, signature, link to the previous packet, and columns repeated in the body. As in a replay, the chain
 * contains packet digests.
 * @param keys by id
 */
export function packetCheck(keys: ReadonlyMap<string, SigningKey>): RowCheck {
  let before: { readonly sequence: number; readonly lineage: string } | undefined;
  return async (cells) => {
    const digest = textOf(cells, 'packet_digest');
    const bodyText = textOf(cells, 'body');
    const faults: string[] = [];
    const found = sha256Hex(bodyText);
    if (found !== digest) faults.push(`SHA-256 of body is ${found}, packet_digest is ${digest}`);
    faults.push(...(await signatureFaults(cells, digest, keys)));
    const body = bodyOf(bodyText);
    if (body === undefined) faults.push('body is not JSON');
    else faults.push(...columnFaults(cells, body), ...linkFaults(cells, body, digest, before));
    before = linkOf(cells);
    return { timeMs: Number(cells['window_end_ms']), line: digest, faults };
  };
}

function textOf(cells: NamedCells, name: string): string {
  const value = cells[name];
  return typeof value === 'string' ? value : '';
}

function bodyOf(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined;
  }
}

async function signatureFaults(cells: NamedCells, packetDigest: string, keys: ReadonlyMap<string, SigningKey>): Promise<string[]> {
  if (!('signature' in cells) || !('signing_key_id' in cells)) return [];
  const [signature, signingKeyId] = ['signature', 'signing_key_id'].map((name) => textOf(cells, name) || null);
  switch (await signatureOutcome({ signature: signature ?? null, signingKeyId: signingKeyId ?? null, packetDigest }, keys)) {
    case 'valid':
    case 'unsigned':
      return [];
    case 'invalid':
      return [`not a valid signature by ${signingKeyId ?? 'any key'}`];
    case 'unknownKey':
      return [`signed with ${signingKeyId ?? ''}, which is not in keys.json`];
  }
}

function columnFaults(cells: NamedCells, body: Body): string[] {
  const columns = [...SAME_NAME.map((name) => ({ name, path: name })), ...PACKET_BODY_COLUMNS];
  return columns.flatMap(({ name, path }) => {
    if (!(name in cells)) return [];
    const said = path.split('.').reduce<unknown>((value, member) => (value as Body | null | undefined)?.[member], body);
    return isSameCell(cells[name], said) ? [] : [`${name} is ${shown(cells[name])}, body has ${shown(said)}`];
  });
}

/** Compares a cell with a value of the body; in CSV numbers are text and lists are joined. */
function isSameCell(cell: unknown, said: unknown): boolean {
  if (Array.isArray(said) && !Array.isArray(cell)) return (cell ?? '') === said.join('|');
  if (typeof said === 'number') return Number(cell) === said;
  return JSON.stringify(cell ?? null) === JSON.stringify(said ?? null);
}

function shown(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null);
}

interface Link {
  readonly sequence: number;
  readonly lineage: string;
}

function linkOf(cells: NamedCells): Link | undefined {
  const lineage = textOf(cells, 'lineage_digest');
  return lineage === '' || !('sequence' in cells) ? undefined : { sequence: Number(cells['sequence']), lineage };
}

function linkFaults(cells: NamedCells, body: Body, digest: string, before: Link | undefined): string[] {
  const previous = body['previous_lineage_digest'];
  if (typeof previous !== 'string') return ['body has no previous_lineage_digest'];
  const link = linkOf(cells);
  if (link === undefined) return [];
  const faults: string[] = [];
  if (lineageDigest(previous, digest) !== link.lineage) faults.push('lineage_digest does not match the body');
  if (before !== undefined && link.sequence === before.sequence + 1 && previous !== before.lineage)
    faults.push(`the body names ${previous} as the previous packet, whose lineage_digest is ${before.lineage}`);
  return faults;
}
