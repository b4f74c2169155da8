import { isCheckable, pickColumns, TIMEFRAMES } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/spec';
import { FILE_SCHEMA } from '../parts/make-part';
import type { StoredFile } from '../store/files';
import type { ExportFacts } from './facts';
import { CLAIM_BOUNDARY, dateOf, utc, utcOrNull } from './words';

/** The request as it was resolved. */
export function requestOf(spec: ExportSpec) {
  const { dataset, symbols, format, compression, intervalMs, depth, columns } = spec;
  return {
    dataset,
    symbols,
    from_utc: utc(spec.fromMs),
    to_utc: utc(spec.toMs),
    as_of_utc: utc(spec.asOfMs),
    format,
    compression,
    tf: Object.entries(TIMEFRAMES).find(([, lengthMs]) => lengthMs === intervalMs)?.[0] ?? null,
    depth: dataset === 'book' ? depth : null,
    columns,
  };
}

/** The manifest: every file but itself and the list of digests, and what it takes to read and check them. */
export function manifestOf({ job, files }: ExportFacts, support: readonly Omit<StoredFile, 'part'>[]) {
  const { spec } = job;
  const data = files.flatMap(({ part, ...file }) => (part === undefined ? [] : [{ ...file, part }]));
  const uncheckedRows = data.reduce((sum, { part }) => sum + part.facts.uncheckedRows, 0);
  return {
    schema: FILE_SCHEMA,
    job_id: job.jobId,
    request: requestOf(spec),
    created_at_utc: utc(job.createdMs),
    sources: job.symbols.map(({ symbol, venue, sourceKind, isReported }) => ({
      symbol,
      venue,
      source_kind: sourceKind === '' ? null : sourceKind,
      reported_by_venue: isReported,
    })),
    columns: pickColumns(spec, spec.columns).map(({ name, type }) => ({ name, type })),
    row_total: job.rowsMade,
    byte_total: job.bytesMade,
    checkable: isCheckable(spec, spec.columns),
    unchecked_rows: uncheckedRows,
    files: data.map(({ name, bytes, sha256, part }) => ({
      name,
      symbol: part.symbol,
      date: dateOf(part.dayMs),
      rows: part.facts.rows,
      bytes,
      sha256,
      first_utc: utcOrNull(part.facts.firstMs),
      last_utc: utcOrNull(part.facts.lastMs),
    })),
    support_files: support.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    plan_sha256: job.planDigest,
    claim_boundary: CLAIM_BOUNDARY,
  };
}
