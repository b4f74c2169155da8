import { isCheckable, isLogDataset, pickColumns, TIMEFRAMES } from '@market-state/export-schema';
import type { ExportSpec } from '../jobs/job';
import { FILE_SCHEMA } from '../parts/copy-rows';
import type { StoredFile } from '../store/files';
import type { MadePart } from '../store/publications';
import { dateOf, utc, utcOrNull } from '../utc';
import type { ExportFacts } from './facts';

const CLAIM_BOUNDARY = 'not_signal_not_advice_not_execution_not_performance';

export const FLAG_MEANINGS = {
  1: 'snapshot: first book after the feed connected, a pass began or the book was whole again',
  2: 'late: it came when the window of its exchange time was closed',
  4: 'clock_skew: exchange time and receive time are more than 2 s apart',
  8: 'after_gap: first row of its channel after a gap',
  16: 'synthetic: of a simulated venue',
  64: 'venue_clock_ahead: received before its own exchange time',
} as const;

const GAPS_MAX = 1_000;

/** Lists every file except itself and the list of digests, with what is needed to read and check them. */
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

function requestOf(spec: ExportSpec) {
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

/** Evidence to audit an export without the service. The charge is added when it is read. */
export function reviewPackOf(facts: ExportFacts, requested: unknown, manifestSha256: string) {
  const { job, parts, files, gaps, rights, conditions } = facts;
  return {
    schema: 'market_state_export_review.v1',
    job_id: job.jobId,
    asked: requested,
    request: requestOf(job.spec),
    plan: { sha256: job.planDigest, parts: parts.map(planOf) },
    delivered: {
      row_total: job.rowsMade,
      byte_total: job.bytesMade,
      manifest_sha256: manifestSha256,
      files: files.map(({ name, bytes, sha256, part }) => ({ name, bytes, sha256, rows: part?.facts.rows ?? null })),
    },
    gap_total: gaps.length,
    gaps: gaps.slice(0, GAPS_MAX).map(({ gapId, symbol, channel, startMs, endMs, reason, resolution }) => ({
      gap_id: gapId,
      symbol,
      channel: channel === '' ? null : channel,
      start_utc: utc(startMs),
      end_utc: utcOrNull(endMs),
      reason,
      resolution,
    })),
    flagged_rows: parts.flatMap(({ symbol, facts: { flagged } }) =>
      flagged.map(({ hourMs, late, skewed }) => ({ symbol, hour_utc: utc(hourMs), late, clock_skew: skewed })),
    ),
    flag_meanings: FLAG_MEANINGS,
    unchecked_rows: parts.reduce((sum, part) => sum + part.facts.uncheckedRows, 0),
    days: conditions.map(({ symbol, dayMs, condition, reasons, rows }) => ({ symbol, date: dateOf(dayMs), condition, reasons, rows })),
    policy_digests: [...new Set(parts.flatMap((part) => part.facts.policyDigests ?? []))].sort(),
    rights: {
      dataset_resale_right: 'not_included_by_default',
      allowed_uses: rights?.allowedUses ?? [],
      redistribution: rights?.redistribution ?? 'not_included_by_default',
    },
    claim_boundary: CLAIM_BOUNDARY,
    how_to_check: howToCheck(facts),
  };
}

/** Hours as compact arrays: start, rows, SHA-256 of the archived file, or null if rows came from a service. */
function planOf({ name, rowTotal, facts, plan }: MadePart) {
  return {
    name,
    rows_planned: rowTotal,
    rows_made: facts.rows,
    source_hours: plan.hours.map(({ hourMs, rows, file }) => [utc(hourMs), rows, file?.sha256 ?? null]),
  };
}

function howToCheck({ job }: ExportFacts): string[] {
  const { dataset } = job.spec;
  const first = 'Files: sha256sum -c SHA256SUMS; manifest_sha256 is the digest of manifest.json.';
  if (dataset === 'packets')
    return [
      first,
      'Packets: SHA-256 of body is packet_digest; signature is Ed25519 over its 32 bytes, by the key of signing_key_id in keys.json.',
    ];
  if (!isLogDataset(dataset)) return [first, 'Candles: every field equals that of the API for the same symbol, length and as_of.'];
  return [
    first,
    'Rows: market-state verify-export converts each row to its market_state_row.v1 line. h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), line n); the last hash equals rows_sha256 of a replay of the same window, channel and as_of.',
  ];
}
