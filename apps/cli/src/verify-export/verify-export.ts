import { join, resolve } from 'node:path';
import { openEngine } from '@market-state/archive';
import { type Dataset, isLogDataset } from '@market-state/export-schema';
import type { CliIo } from '../io/cli-io';
import { count, instant } from '../io/instant';
import type { Progress } from '../io/progress';
import { CandleComparison, uncheckedCandle } from './candle-check';
import { checkFiles } from './check-files';
import { checkSymbol, type SymbolVerification } from './check-symbol';
import { FaultList } from './fault-list';
import { readManifest, type Manifest } from './manifest';
import { packetCheck } from './packet-check';
import type { MarketState } from '@market-state/client';
import { logRowCheck, type RowCheck } from './row-checks';
import type { VerifyExportSettings } from './settings';
import { readSigningKeys } from './signing-keys';

/** Memory of the engine that reads the files, mebibytes. */
const MEMORY_MB = 256;

/** How an export fared. */
export interface ExportVerification {
  readonly jobId: string;
  readonly request: Manifest['request'];
  readonly isCheckable: boolean;
  readonly isCompared: boolean;
  readonly fileTotal: number;
  readonly soundTotal: number;
  readonly symbols: readonly SymbolVerification[];
  /** Symbols whose rows were not read, because a file of theirs is damaged or missing. */
  readonly unread: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Checks the files of a folder, then what is in them.
 * @throws CliError when the folder has no manifest, or the API to compare with cannot be reached
 */
export async function verifyExport(
  settings: VerifyExportSettings,
  ms: MarketState | undefined,
  io: CliIo,
  progress: Progress,
): Promise<ExportVerification> {
  const folder = resolve(io.cwd, settings.folder);
  const manifest = await readManifest(folder);
  const faults = new FaultList();
  const { total, sound } = await checkFiles(folder, manifest, faults, (name) => progress.tell(() => `checking ${name}`));
  totalFaults(manifest, faults);
  const symbols: SymbolVerification[] = [];
  const unread: string[] = [];
  const engine = await openEngine({ memoryMb: MEMORY_MB });
  try {
    const newCheck = await checksOf(folder, manifest, ms, faults, io.signal);
    for (const symbol of manifest.request.symbols) {
      const files = manifest.files.filter((file) => file.symbol === symbol);
      if (files.some(({ name }) => !sound.has(name))) {
        unread.push(symbol);
        continue;
      }
      const context = { engine, manifest, folder: (name: string) => join(folder, name), faults, ms, signal: io.signal };
      const onProgress = (rows: number, windowMs?: number): void =>
        progress.tell(() => `${symbol}: ${count(rows)} rows${windowMs === undefined ? '' : `, compared up to ${instant(windowMs)}`}`);
      symbols.push(await checkSymbol(context, symbol, files, newCheck(symbol), onProgress));
    }
  } finally {
    engine.close();
  }
  return {
    jobId: manifest.job_id,
    request: manifest.request,
    isCheckable: manifest.checkable,
    isCompared: ms !== undefined,
    fileTotal: total,
    soundTotal: sound.size,
    symbols,
    unread,
    faults: faults.lines(),
  };
}

function totalFaults(manifest: Manifest, faults: FaultList): void {
  const rows = manifest.files.reduce((sum, file) => sum + file.rows, 0);
  if (rows !== manifest.row_total)
    faults.add('totals', `manifest.json: row_total is ${count(manifest.row_total)}, its files have ${count(rows)}`);
}

/** How the rows of a symbol are checked; a candle needs the API. */
async function checksOf(
  folder: string,
  manifest: Manifest,
  ms: MarketState | undefined,
  faults: FaultList,
  signal: AbortSignal,
): Promise<(symbol: string) => RowCheck | CandleComparison> {
  const { checkable, request } = manifest;
  const dataset: Dataset = request.dataset;
  if (dataset === 'candles')
    return (symbol) => (ms === undefined || !checkable ? uncheckedCandle : new CandleComparison(ms, manifest, symbol, signal));
  if (!checkable) return () => () => ({ timeMs: request.from_utc, line: undefined, faults: [] });
  if (isLogDataset(dataset)) return () => logRowCheck(dataset);
  const keys = await readSigningKeys(folder, ms, faults, signal);
  return () => packetCheck(keys);
}
