import type { marketData } from '@market-state/contracts';
import { isLogDataset } from '@market-state/export-schema';
import { dayCondition } from '@market-state/market-data';
import type { Job } from '../jobs/job';
import { listFiles, type StoredFile } from '../store/files';
import { listMadeParts, type MadePart } from '../store/publications';
import type { WorkerDeps } from '../worker-deps';

const DAY_MS = 86_400_000;
const GAPS_PAGE = 1_000;

export interface ExportFacts {
  readonly job: Job;
  readonly parts: readonly MadePart[];
  readonly files: readonly StoredFile[];
  /** For the symbols and the dataset's channel, as of the job. */
  readonly gaps: readonly marketData.Gap[];
  readonly instruments: readonly marketData.Instrument[];
  readonly rights: marketData.FeatureClassRights | undefined;
  readonly conditions: readonly SymbolDay[];
}

export interface SymbolDay {
  readonly symbol: string;
  readonly dayMs: number;
  readonly condition: string;
  readonly reasons: readonly string[];
  readonly rows: number;
  readonly files: readonly string[];
}

export async function factsOf(deps: WorkerDeps, job: Job): Promise<ExportFacts> {
  const [parts, files, { instruments }, { featureClasses }] = await Promise.all([
    listMadeParts(deps.pool, job),
    listFiles(deps.pool, job),
    deps.marketData.call.listInstruments({}),
    deps.marketData.call.getRights({}),
  ]);
  const gaps: marketData.Gap[] = [];
  for (const symbol of job.spec.symbols) gaps.push(...(await gapsOf(deps, job, symbol)));
  return {
    job,
    parts,
    files,
    gaps,
    instruments: instruments.filter(({ symbol }) => job.spec.symbols.includes(symbol)),
    rights: featureClasses.find(({ featureClass }) => featureClass === job.spec.dataset),
    conditions: conditionsOf(job, parts, files, gaps),
  };
}

async function gapsOf({ marketData }: WorkerDeps, { spec }: Job, symbol: string): Promise<marketData.Gap[]> {
  const found: marketData.Gap[] = [];
  let pageToken = '';
  do {
    const page = await marketData.call.listGaps({
      symbol,
      fromMs: spec.fromMs,
      toMs: spec.toMs,
      pageSize: GAPS_PAGE,
      pageToken,
      asOfMs: spec.asOfMs,
    });
    found.push(...page.gaps.filter(({ channel }) => concerns(spec.dataset, channel)));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
}

function concerns(dataset: Job['spec']['dataset'], channel: string): boolean {
  if (channel === '' || dataset === 'packets') return true;
  return channel === (isLogDataset(dataset) ? dataset : 'trades');
}

function conditionsOf(
  { spec, symbols }: Job,
  parts: readonly MadePart[],
  files: readonly StoredFile[],
  gaps: readonly marketData.Gap[],
): SymbolDay[] {
  const named = new Set(files.map(({ name }) => name));
  const days: SymbolDay[] = [];
  for (const { symbol, keptFromMs, isReported } of symbols) {
    const ofSymbol = parts.filter((part) => part.symbol === symbol);
    for (let dayMs = Math.floor(spec.fromMs / DAY_MS) * DAY_MS; dayMs < spec.toMs; dayMs += DAY_MS) {
      const ofDay = ofSymbol.filter((part) => part.dayMs === dayMs);
      const rows = ofDay.reduce((sum, { facts }) => sum + facts.rows, 0);
      const [fromMs, toMs] = [Math.max(spec.fromMs, dayMs), Math.min(spec.toMs, dayMs + DAY_MS)];
      const { condition, reasons } = dayCondition({
        fromMs,
        toMs,
        keptFromMs,
        rows,
        isReadable: true,
        gaps: gaps.filter((gap) => gap.symbol === symbol),
        // Everything received by `as of` is recorded; a span that ends there has an unfinished day.
        isFinished: spec.asOfMs >= toMs && (toMs === dayMs + DAY_MS || toMs < spec.asOfMs),
        isReported,
      });
      days.push({ symbol, dayMs, condition, reasons, rows, files: ofDay.map(({ name }) => name).filter((name) => named.has(name)) });
    }
  }
  return days;
}
