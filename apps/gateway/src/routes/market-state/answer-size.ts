import { isServiceError } from '@market-state/errors';
import { answerBytes, messageBytes, replayedBytes, SIZE_SOURCE, type OperationPrice } from '@market-state/pricing';
import type { MarketDataClient } from '../../clients/market-data-client';
import type { Grant } from '../../serving/auth/credentials';
import { type Described, openApiDocument, type Schema } from '../../serving/openapi/document';
import type { Operation } from '../../serving/openapi/operations';
import { parseInstant } from '../../serving/meta/meta';
import type { Input } from '../../serving/validation/request-validator';
import { plannedSize, streamWindowOf, windowOf } from '../../streams/replay';
import { readSymbolList } from '../../streams/symbol-readers';

interface AnswerRows {
  /** Null if unknown. */
  readonly rows: number | null;
  readonly are: 'exact' | 'at_most' | 'unknown';
}

/** Property that holds the rows, if a response has several lists. */
const ROW_LISTS = ['rows', 'packets', 'receipts'];

const UNKNOWN: AnswerRows = { rows: null, are: 'unknown' };
const ONE: AnswerRows = { rows: 1, are: 'exact' };

/**
 * Row bound from the price rule and the OpenAPI document: list items, book levels of both sides, or one packet per
 * symbol; 1 for a single object. Unknown for files and streams.
 * @param units upper bound of the call's units
 */
function rowsOfAnswer(
  requested: Operation,
  counted: OperationPrice['counted'],
  { query }: Pick<Input, 'query'>,
  units: number,
): AnswerRows {
  switch (counted.by) {
    case 'messages':
    case 'export_rows':
      return UNKNOWN;
    case 'symbols':
      return { rows: units, are: query['symbol'] === 'ALL' ? 'at_most' : 'exact' };
    case 'rows':
    case 'candles':
      return { rows: units, are: 'at_most' };
    case 'parameter':
      return { rows: counted.parameter === 'depth' ? 2 * units : units, are: 'at_most' };
    case 'page':
    case 'call':
    case 'nothing':
      return rowsOfList(requested, counted.by === 'page' ? counted.rows_max : Number(query['limit'] ?? Number.POSITIVE_INFINITY));
  }
}

function rowsOfList({ path, method }: Operation, rowsMax: number): AnswerRows {
  const answer = openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['application/json']?.schema;
  if (answer === undefined) return UNKNOWN;
  const list = listOf(propertiesOf(answer));
  if (list === undefined) return ONE;
  const rows = Math.min(rowsMax, Number(list['maxItems'] ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(rows) ? { rows, are: 'at_most' } : UNKNOWN;
}

/** The list of rows; in a paged response, its only list. */
function listOf(properties: Readonly<Record<string, Schema>>): Schema | undefined {
  const lists = Object.entries(properties).filter(([, { type }]) => [type].flat().includes('array'));
  const named = lists.find(([name]) => ROW_LISTS.includes(name));
  return (named ?? ('next_cursor' in properties ? lists[0] : undefined))?.[1];
}

/** Properties including `allOf` parts; with views, those of the first. */
function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { $ref } = schema;
  const own = $ref === undefined ? schema : openApiDocument.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  const parts = [...((own?.['allOf'] ?? []) as Schema[]), ...((own?.['anyOf'] ?? []) as Schema[]).slice(0, 1)];
  return Object.assign({}, ...parts.map(propertiesOf), own?.['properties']) as Readonly<Record<string, Schema>>;
}

export type AnswerSize = Pick<
  Described<'UsageEstimate'>,
  'row_total' | 'row_total_is' | 'byte_total' | 'byte_total_is' | 'byte_total_basis'
>;

/** Size of a call, and its maximum messages if it is a streamed replay (else null). */
interface CallSize {
  readonly reported: AnswerSize;
  readonly messagesMax: number | null;
}

export function estimatedSize({ rows, are }: AnswerRows, bytes: number | null): AnswerSize {
  return {
    row_total: rows,
    row_total_is: are,
    byte_total: bytes,
    byte_total_is: bytes === null ? 'unknown' : 'about',
    byte_total_basis: bytes === null ? basisOfNothing(rows) : SIZE_SOURCE,
  };
}

function basisOfNothing(rows: number | null): string {
  return rows === null ? 'none: the number of rows is unknown' : 'none: responses of this route have not been measured';
}

/**
 * A replay's size comes from its plan, if the data plane returns one and the caller may see the newest rows; others
 * from the price's bound, in `units`.
 */
export async function sizeOfCall(
  client: MarketDataClient,
  requested: Operation,
  input: Input,
  { sandbox }: Pick<Grant, 'sandbox'>,
  units: number,
): Promise<CallSize> {
  const { price, servedAs } = requested;
  const planned = sandbox ? null : await rowsOfReplay(client, servedAs, input);
  if (planned !== null) return planned;
  const bound: AnswerRows = price === null ? { rows: null, are: 'unknown' } : rowsOfAnswer(requested, price.counted, input, units);
  const { view } = input.query;
  const bytes = bound.rows === null ? null : answerBytes(servedAs, typeof view === 'string' ? view : undefined, bound.rows);
  return { reported: estimatedSize(bound, bytes), messagesMax: null };
}

/** Returns null unless the call replays a window from its start, or if the data plane is unavailable. */
async function rowsOfReplay(client: MarketDataClient, operationId: string, { query }: Input): Promise<CallSize | null> {
  const isPage = operationId === 'getReplayWindow';
  if (operationId !== 'streamDataReplay' && !(isPage && query['cursor'] === '')) return null;
  const text = (name: string): string => String(query[name] ?? '');
  const symbols = readSymbolList(text('symbol'));
  const channels = text('channels') === '' ? [] : text('channels').split(',');
  const [startMs, endMs] = [parseInstant(text('start')), parseInstant(text('end'))];
  try {
    const clocks = await Promise.all(symbols.map((symbol) => client.call.getFreshness({ symbol })));
    const feedClockMs = Math.min(...clocks.map((freshness) => freshness.feedClockMs));
    const window = (isPage ? windowOf : streamWindowOf)(startMs, endMs, feedClockMs);
    const wanted = { ...window, channels, asOfMs: parseInstant(text('as_of')) ?? 0 };
    const counted = await Promise.all(symbols.map((symbol) => plannedSize(client, { symbol, ...wanted })));
    const byChannel = new Map<string, number>();
    for (const { rows } of counted) for (const [channel, total] of rows) byChannel.set(channel, (byChannel.get(channel) ?? 0) + total);
    if (isPage) return { reported: pageSize(byChannel), messagesMax: null };
    return { reported: streamSize(byChannel), messagesMax: counted.reduce((sum, one) => sum + one.messagesMax, 0) };
  } catch (error) {
    if (isServiceError(error) && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED')) return null;
    throw error;
  }
}

const PAGE_ROWS = 5_000;

/** If there are more rows than fit on a page, each channel counts in proportion. */
function pageSize(byChannel: ReadonlyMap<string, number>): AnswerSize {
  const total = sumOf(byChannel);
  const rows = Math.min(PAGE_ROWS, total);
  const [around, bytes] = [answerBytes('getReplayWindow', undefined, 0), replayedBytes(byChannel)];
  return estimatedSize(
    { rows, are: 'exact' },
    around === null || bytes === null ? null : around + Math.ceil((bytes * rows) / Math.max(1, total)),
  );
}

function streamSize(byChannel: ReadonlyMap<string, number>): AnswerSize {
  const rows = sumOf(byChannel);
  const bytes = replayedBytes(byChannel);
  return estimatedSize({ rows, are: 'exact' }, bytes === null ? null : bytes + messageBytes(rows));
}

function sumOf(byChannel: ReadonlyMap<string, number>): number {
  return [...byChannel.values()].reduce((sum, rows) => sum + rows, 0);
}
