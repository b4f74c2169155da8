import { createHash } from 'node:crypto';
import { failedPrecondition } from '@market-state/errors';
import { costOf, limitsOf } from '@market-state/pricing';
import type { Pool } from 'pg';
import type { ExportSpec, JobSymbol, PlannedPart } from '../jobs/job';
import { listMadeSizes } from '../store/made-sizes';
import type { Upstreams } from '../upstreams';
import { planParts } from './plan-parts';
import { type PlannedSymbol, planSymbol } from './plan-symbol';
import { type RequestedSpec, fixSpec } from './resolve-spec';

const SYMBOLS_AT_ONCE = 4;

export interface ExportPlan {
  readonly spec: ExportSpec;
  readonly symbols: readonly JobSymbol[];
  readonly parts: readonly PlannedPart[];
  /** Exact for a job; otherwise, and always for candles, the maximum. */
  readonly rowTotal: number;
  readonly byteTotal: number;
  readonly credits: number;
  readonly creditsMin: number;
  /** SHA-256 over spec and parts, lower-case hex. */
  readonly digest: string;
}

export interface PlanOptions {
  readonly planId: string;
  /** True to count individual rows in hours that are partly in the period. */
  readonly isExact: boolean;
}

/**
 * Plans an export as of now.
 * @throws ServiceError as PlanExport
 */
export async function planExport(
  { pool, ...upstreams }: Upstreams & { readonly pool: Pool },
  requested: RequestedSpec,
  { planId, isExact }: PlanOptions,
): Promise<ExportPlan> {
  const spec = await fixSpec(upstreams, requested);
  const made = await listMadeSizes(pool, spec);
  const planned: PlannedSymbol[] = [];
  for (let at = 0; at < spec.symbols.length; at += SYMBOLS_AT_ONCE)
    planned.push(
      ...(await Promise.all(spec.symbols.slice(at, at + SYMBOLS_AT_ONCE).map((symbol) => planSymbol(upstreams, spec, symbol, isExact)))),
    );
  const parts = planParts(spec, planned, made);
  const rowTotal = parts.reduce((sum, part) => sum + part.rowTotal, 0);
  const byteTotal = parts.reduce((sum, part) => sum + part.byteTotal, 0);
  refuseLarge(byteTotal, limitsOf(planId).exportBytesMax);
  return {
    spec,
    symbols: planned.map(({ symbol, venue, sourceKind, keptFromMs, isReported }) => ({
      symbol,
      venue,
      sourceKind,
      keptFromMs,
      isReported,
    })),
    parts,
    rowTotal,
    byteTotal,
    credits: costOf('export_job', rowTotal),
    creditsMin: costOf(
      'export_job',
      planned.reduce((sum, { rowsMin }) => sum + rowsMin, 0),
    ),
    digest: createHash('sha256')
      .update(JSON.stringify([spec, parts]))
      .digest('hex'),
  };
}

function refuseLarge(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw failedPrecondition(
    'result_too_large',
    'The files would be larger than the plan allows. Shorten the period or select fewer symbols.',
    {
      metadata: { bytes: String(bytes), bytes_max: String(bytesMax) },
    },
  );
}
