import type { Engine } from '@market-state/archive';
import { count, counted } from '../io/instant';
import { CandleComparison } from './candle-check';
import { compareWindows, type WindowComparison } from './compare-windows';
import { DataFileError, dataRows } from './data-rows';
import type { FaultList } from './fault-list';
import type { ListedFile, Manifest } from './manifest';
import type { MarketState } from '@market-state/client';
import { isAnswer } from '../client/open-service';
import type { RowCheck } from './row-checks';
import { type ChainedSymbol, SymbolChains } from './windows';

/** How the rows of one symbol fared. */
export interface SymbolVerification extends ChainedSymbol {
  /** Absent where nothing was compared with the API. */
  readonly comparison?: WindowComparison;
  /** Candles that equal those of the API; absent where none were compared. */
  readonly equalCandles?: number;
  /** Why the comparison with the API could not be finished; absent where it was. */
  readonly refusal?: string;
}

/** What reading the files of a symbol takes. */
export interface CheckContext {
  readonly engine: Engine;
  readonly manifest: Manifest;
  /** Path of a file. */
  readonly folder: (name: string) => string;
  readonly faults: FaultList;
  readonly ms: MarketState | undefined;
  readonly signal: AbortSignal;
}

/** Reads the files of a symbol in their order, checks and chains their rows, and compares them with the API where there is one. */
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
    return { ...chains.chained(), refusal: `the API answers ${error.status}: ${error.detail}` };
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
  /** Rows without a fault. */
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
        if ('symbol' in cells && cells['symbol'] !== file.symbol)
          faults.add(file.name, `${file.name}: row ${count(row)} is of ${String(cells['symbol'])}`);
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
