import { type Engine, identifier, literal } from '@market-state/archive';
import type { MarketState } from '@market-state/client';
import { isMarkedInCsv, unmarkedCell } from '@market-state/export-schema';
import { type NamedCells, readMarket } from '@market-state/market-data';
import { count, counted } from '../io/instant';
import { CandleComparison, type RowCheck } from './row-checks';
import { compareWindows, type WindowComparison, type ChainedSymbol, SymbolChains } from './windows';
import type { FaultList, ListedFile, Manifest } from './manifest';
import { isAnswer } from '../client/open-service';

/** Data file that does not match the manifest's description. */
class DataFileError extends Error {
  override readonly name = 'DataFileError';
}

/**
 * Cells by name, in file order. Lists are lists of objects; in CSV every cell is text.
 * @throws {DataFileError} if the file is invalid or its columns differ from the manifest
 */
async function* dataRows(
  engine: Engine,
  path: string,
  manifest: Manifest,
  { name }: Pick<ListedFile, 'name'>,
  signal: AbortSignal,
): AsyncGenerator<readonly NamedCells[]> {
  const connection = await engine.connect();
  try {
    const names = manifest.columns.map((column) => column.name);
    if (manifest.request.format === 'parquet') await checkColumns(connection, path, names);
    const result = await connection.stream(selectOf(path, manifest));
    let isHead = manifest.request.format === 'csv';
    for (;;) {
      signal.throwIfAborted();
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const rows = chunk.getRows();
      if (isHead) checkNames(names, rows.shift() ?? []);
      isHead = false;
      yield rows.map((row) => cellsOf(manifest, row));
    }
    if (isHead) throw new DataFileError(`${name}: no header`);
  } catch (error) {
    if (signal.aborted || error instanceof DataFileError) throw error;
    throw new DataFileError(`cannot be read: ${(error as Error).message.split('\n')[0] ?? ''}`, { cause: error });
  } finally {
    connection.closeSync();
  }
}

type Connection = Awaited<ReturnType<Engine['connect']>>;

async function checkColumns(connection: Connection, path: string, names: readonly string[]): Promise<void> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${literal(path)}, hive_partitioning = false)`);
  checkNames(
    names,
    described.getRows().map(([name]) => name),
  );
}

function checkNames(names: readonly string[], found: readonly unknown[]): void {
  if (JSON.stringify(names) === JSON.stringify(found)) return;
  throw new DataFileError(`columns are ${found.map(String).join(', ')}; the manifest lists ${names.join(', ')}`);
}

function isTime({ type }: Manifest['columns'][number]): boolean {
  return type === 'TIMESTAMP' || type === 'TIMESTAMPTZ';
}

function isList({ type }: Manifest['columns'][number]): boolean {
  return type.endsWith('[]');
}

function selectOf(path: string, { columns, request }: Manifest): string {
  // One JSON text is faster to convert than single values. Times become RFC 3339 text, with or without a time zone in
  // the file.
  const list = columns.map((column) => {
    const name = identifier(column.name);
    if (isList(column)) return `to_json(${name})::VARCHAR`;
    const isStoredTime = isTime(column) && request.format === 'parquet';
    return isStoredTime ? `strftime(make_timestamp_ms(epoch_ms(${name})), '%Y-%m-%dT%H:%M:%S.%gZ')` : name;
  });
  switch (request.format) {
    case 'parquet':
      return `SELECT ${list.join(', ')} FROM read_parquet(${literal(path)}, hive_partitioning = false)`;
    case 'ndjson':
      return `SELECT ${list.join(', ')} FROM read_json(${literal(path)}, format = 'newline_delimited', columns = ${shapeOf(columns)})`;
    case 'csv':
      // The header is read as a row so that it can be compared.
      return (
        `SELECT * FROM read_csv(${literal(path)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', ` +
        `nullstr = '', allow_quoted_nulls = false, columns = ${shapeOf(columns.map(({ name }) => ({ name, type: 'VARCHAR' })))})`
      );
  }
}

function shapeOf(columns: Manifest['columns']): string {
  const members = columns.map((column) => `${literal(column.name)}: ${literal(isTime(column) ? 'VARCHAR' : column.type)}`);
  return `{${members.join(', ')}}`;
}

function cellsOf({ columns, request }: Manifest, row: readonly unknown[]): NamedCells {
  const cells: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const value = row[index];
    if (typeof value !== 'string') cells[column.name] = value;
    else if (request.format !== 'csv') cells[column.name] = isList(column) ? JSON.parse(value) : value;
    else cells[column.name] = isMarkedInCsv(column.name) ? unmarkedCell(value) : value;
  }
  return cells;
}

export interface SymbolVerification extends ChainedSymbol {
  /** Absent if nothing was compared with the API. */
  readonly comparison?: WindowComparison;
  /** Candles equal to those of the API; absent if none were compared. */
  readonly equalCandles?: number;
  /** Reason the comparison with the API stopped early; absent if it finished. */
  readonly refusal?: string;
}

interface CheckContext {
  readonly engine: Engine;
  readonly manifest: Manifest;
  readonly folder: (name: string) => string;
  readonly faults: FaultList;
  readonly ms: MarketState | undefined;
  readonly signal: AbortSignal;
}

export async function checkSymbol(
  context: CheckContext,
  symbol: string,
  files: readonly ListedFile[],
  check: RowCheck | CandleComparison,
  onProgress: (rows: number, windowMs?: number) => void,
): Promise<SymbolVerification> {
  const { manifest, faults, ms, signal } = context;
  const { request, checkable } = manifest;
  const chains = new SymbolChains(symbol, request.from_utc, request.to_utc);
  const tally = { rows: 0, sound: 0 };
  try {
    for (const file of files) await checkFile(context, file, check, chains, tally, onProgress);
    if (check instanceof CandleComparison) return { ...chains.chained(), equalCandles: await endOfCandles(check, symbol, faults, tally) };
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return { ...chains.chained(), refusal: `the API returned ${error.status}: ${error.detail}` };
  }
  const chained = chains.chained();
  if (ms === undefined || !checkable || request.dataset === 'candles') return chained;
  const comparison = await compareWindows(
    ms,
    request.dataset,
    request.as_of_utc,
    chained,
    ({ endMs }) => onProgress(tally.rows, endMs),
    signal,
  );
  if (comparison.firstDifference !== undefined) faults.add(symbol, `${symbol}: first difference: ${comparison.firstDifference}`);
  return { ...chained, comparison };
}

interface Tally {
  rows: number;
  sound: number;
}

async function endOfCandles(check: CandleComparison, symbol: string, faults: FaultList, { sound }: Tally): Promise<number> {
  const more = await check.restTotal();
  if (more > 0) faults.add(symbol, `${symbol}: the API has ${counted(more, 'candle')} more`);
  return sound;
}

async function checkFile(
  { engine, manifest, folder, faults, signal }: CheckContext,
  file: ListedFile,
  check: RowCheck | CandleComparison,
  chains: SymbolChains,
  tally: Tally,
  onProgress: (rows: number) => void,
): Promise<void> {
  let row = 0;
  try {
    for await (const batch of dataRows(engine, folder(file.name), manifest, file, signal)) {
      for (const cells of batch) {
        row += 1;
        const { timeMs, line, faults: found } = await (check instanceof CandleComparison ? check.check(cells) : check(cells));
        if ('symbol' in cells && cells['symbol'] !== readMarket(file.symbol).symbol)
          faults.add(file.name, `${file.name}: row ${count(row)} belongs to ${String(cells['symbol'])}`);
        if (!chains.add(timeMs, line)) faults.add(file.name, `${file.name}: row ${count(row)} is outside the span of the export`);
        for (const fault of found) faults.add(file.name, `${file.name}: row ${count(row)}: ${fault}`);
        tally.sound += found.length === 0 ? 1 : 0;
      }
      tally.rows += batch.length;
      onProgress(tally.rows);
    }
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    faults.add(file.name, `${file.name}: ${error.message}`);
    return;
  }
  if (row !== file.rows) faults.add(file.name, `${file.name}: expected ${count(file.rows)} rows, found ${count(row)}`);
}
