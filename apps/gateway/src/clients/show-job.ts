import { exports } from '@market-state/contracts';
import { type Fault, isServiceError, internal } from '@market-state/errors';
import { columnsOf, type Timeframe, TIMEFRAME_NAMES, TIMEFRAMES } from '@market-state/export-schema';
import { type FaultItem, InvalidRequest, tooLarge } from '../serving/errors/problem';
import { toUtc, toUtcOrNull } from '../serving/meta/meta';
import { type Described, documentedWord } from '../serving/openapi/document';
import type { Operation } from '../serving/openapi/operations';
import { WIRE_COMPRESSIONS, WIRE_DATASETS, WIRE_FORMATS, WIRE_STATUSES, wordOf } from './export-request';

type JobRecord = Described<'ExportJobRecord'>;

const { JobStatus } = exports;

const reasonNamed = documentedWord('ExportJobError', 'reason');

const JOBS = '/export/jobs';

/** Relative to the called route, so that the job accepts the same credential. */
export function jobRoute({ path }: Pick<Operation, 'path'>, jobId: string): string {
  return `${path.slice(0, path.indexOf(JOBS))}${JOBS}/${encodeURIComponent(jobId)}`;
}

function timeframeOf(intervalMs: number): Timeframe | null {
  return TIMEFRAME_NAMES.find((name) => TIMEFRAMES[name] === intervalMs) ?? null;
}

export function showSpec(spec: exports.ExportSpec | undefined): Described<'ExportSpec'> {
  if (spec === undefined) throw internal({ detail: 'the export service returned no spec' });
  const dataset = wordOf(WIRE_DATASETS, spec.dataset);
  const format = wordOf(WIRE_FORMATS, spec.format);
  const depth = dataset === 'book' && spec.depth > 0 ? spec.depth : null;
  const all = columnsOf({ dataset, format, depth: depth ?? undefined }).map(({ name }) => name);
  return {
    dataset,
    symbols: spec.symbols,
    from_utc: toUtc(spec.fromMs),
    to_utc: toUtc(spec.toMs),
    as_of_utc: toUtcOrNull(spec.asOfMs),
    format,
    compression: wordOf(WIRE_COMPRESSIONS, spec.compression),
    tf: dataset === 'candles' ? timeframeOf(spec.intervalMs) : null,
    depth,
    columns: spec.columns.length === 0 ? all : spec.columns,
  };
}

function creditStateOf({ status, observedExportCredits }: exports.Job): JobRecord['credit_state'] {
  if (observedExportCredits !== undefined) return 'charged';
  return status === JobStatus.FAILED || status === JobStatus.CANCELLED ? 'released' : 'reserved';
}

/** Links are relative to the called route. */
export function showJob(called: Pick<Operation, 'path'>, job: exports.Job | undefined): JobRecord {
  if (job === undefined) throw internal({ detail: 'the export service returned no job' });
  const route = jobRoute(called, job.jobId);
  return {
    job_id: job.jobId,
    status: wordOf(WIRE_STATUSES, job.status),
    progress: job.progress,
    row_total: job.rowTotal,
    byte_total: job.byteTotal,
    part_total: job.partTotal,
    parts_made: job.partsMade,
    estimated_export_credit_cost: job.estimatedExportCredits,
    observed_export_credit_cost: job.observedExportCredits ?? null,
    credit_state: creditStateOf(job),
    receipt_id: job.receiptId === '' ? null : job.receiptId,
    created_at_utc: toUtc(job.createdMs),
    started_at_utc: toUtcOrNull(job.startedMs),
    finished_at_utc: toUtcOrNull(job.finishedMs),
    expires_at_utc: toUtcOrNull(job.expiresMs),
    error: job.error === undefined ? null : { reason: reasonNamed(job.error.reason), message: job.error.message },
    request: showSpec(job.spec),
    routes: { job: route, result: `${route}/result`, review_pack: `${route}/review-pack` },
  };
}

/** Estimates take an export's parameters from the query. */
type FieldLocation = 'body' | 'query';

/** Public names where they differ from the export service's. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['interval_ms', 'tf'],
]);

const PATH_FIELDS: ReadonlySet<string> = new Set(['job_id', 'name']);

function toItem({ field, message, type }: Fault, place: FieldLocation): FaultItem {
  if (field === 'page_token') return { loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response of this list', type };
  const [name = '', ...rest] = field.replace(/^spec\./, '').split(/[.[\]]+/);
  const part = PATH_FIELDS.has(field) ? 'path' : place;
  const loc = [part, PUBLIC_NAMES.get(name) ?? name, ...rest.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
  return { loc, msg: message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word), type };
}

/** Maps the service's validation errors to the public request. */
export async function fromExports<T>(answer: Promise<T>, place: FieldLocation = 'body'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map((fault) => toItem(fault, place)));
    if (error.reason === 'result_too_large') throw new InvalidRequest([tooLarge(error, [place])]);
    throw error;
  }
}
