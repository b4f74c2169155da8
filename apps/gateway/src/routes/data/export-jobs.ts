import { createHmac, timingSafeEqual } from 'node:crypto';
import type { exports as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { quotedParameters, readExportRequest, toProtoSpec, WIRE_STATUSES } from '../../clients/export-request';
import { fromExports, jobRoute, showJob } from '../../clients/show-job';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { type FileAnswer, grantOf, type Handler } from '../../serving/answers/handler';
import { callerOf } from '../../serving/auth/credentials';
import { Problem } from '../../serving/errors/problem';
import { parseInstant, toUtc } from '../../serving/meta/meta';
import { quoteExceeded, sentBounds } from '../../serving/metering/call-price';
import { creditsRefused, newOperationId } from '../../serving/metering/meter';
import type { Described } from '../../serving/openapi/document';
import type { Operation } from '../../serving/openapi/operations';

export interface ExportsDeps extends Pick<Upstreams, 'exports' | 'exportedFiles'> {
  /** Signs quotes. */
  readonly quoteSecret: string;
  /** Signs download routes. */
  readonly linkSecret: string;
  readonly now: () => number;
}

/** The export service reserves the credits; this call itself is free. */
export function createExportJob({ exports, quoteSecret, now }: ExportsDeps): Handler<'createExportJob'> {
  return async (call) => {
    const grant = grantOf(call);
    const request = readExportRequest(call.input.body);
    const quoted = { operation: call.operation, input: quotedParameters(request), grant, headers: call.input.headers };
    const { maxCredits, quoteId } = sentBounds({ ...quoted, credit: 'export' }, quoteSecret, now());
    const made = await fromExports(
      exports.call.createJob({
        caller: callerOf(grant),
        planId: grant.plan.planId,
        operationId: call.ownTry?.operationId ?? newOperationId(),
        requestId: call.requestId,
        spec: toProtoSpec(request),
        quoteId,
        exportCreditsMax: maxCredits ?? undefined,
      }),
    );
    if (made.aboveBound && maxCredits !== null) throw quoteExceeded(made.exportCredits, maxCredits, 'export');
    if (made.refusal !== undefined) throw creditsRefused(made.refusal, made.exportCredits, 'export');
    const record = showJob(call.operation, made.job);
    return {
      ...accountAnswer(call, record, 'Export queued; its credits are reserved.'),
      headers: { Location: jobRoute(call.operation, record.job_id), 'X-Credits-Charged': '0' },
    };
  };
}

/** Page size limit of the export service. */
const PAGE_JOBS_MAX = 100;

export function listExportJobs({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'listExportJobs'> {
  return async (call) => {
    const { status, limit, cursor } = call.input.query;
    const statuses = status === '' ? [] : [WIRE_STATUSES[status]];
    const { tenantId } = grantOf(call);
    const found: contract.Job[] = [];
    let pageToken = cursor;
    do {
      const pageSize = Math.min(PAGE_JOBS_MAX, limit - found.length);
      const page = await fromExports(exports.call.listJobs({ tenantId, statuses, pageSize, pageToken }), 'query');
      found.push(...page.jobs);
      pageToken = page.nextPageToken;
    } while (pageToken !== '' && found.length < limit);
    const fields = {
      jobs: found.map((job) => showJob(call.operation, job)),
      row_total: found.length,
      next_cursor: pageToken === '' ? null : pageToken,
    };
    return accountAnswer(call, fields, 'Export jobs of this tenant, newest first.');
  };
}

export function getExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.getJob({ tenantId, jobId: call.input.path.job_id }));
    return accountAnswer(call, showJob(call.operation, job), 'Current state of the export job.');
  };
}

/** Cancels a queued or running job; leaves any other unchanged. */
export function cancelExportJob({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'cancelExportJob'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const { job } = await fromExports(exports.call.cancelJob({ tenantId, jobId: call.input.path.job_id }));
    const record = showJob(call.operation, job);
    const sentence =
      record.status === 'cancelled' ? 'Export cancelled; its reserved credits were returned.' : 'The export can no longer be cancelled.';
    return accountAnswer(call, record, sentence);
  };
}

function parsed(json: Uint8Array): object {
  const value: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
  if (typeof value !== 'object' || value === null) throw internal({ detail: 'a review pack is not an object' });
  return value;
}

export function getExportJobReviewPack({ exports }: Pick<ExportsDeps, 'exports'>): Handler<'getExportJobReviewPack'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const jobId = call.input.path.job_id;
    const { reviewPack } = await fromExports(exports.call.getReviewPack({ tenantId, jobId }));
    return accountAnswer(call, { job_id: jobId, review_pack: parsed(reviewPack) }, 'Evidence for the export.');
  };
}

/** Validity of a download route. */
const LINK_LIFE_MS = 900_000;

/** Signed parts of a download route. */
interface LinkedFile {
  readonly tenantId: string;
  readonly jobId: string;
  readonly name: string;
}

function signatureOf({ tenantId, jobId, name }: LinkedFile, expiresMs: number, secret: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([tenantId, jobId, name, expiresMs]))
    .digest();
}

/**
 * Path of a file relative to the called route, with its expiry and an HMAC-SHA256 over tenant, job, file and expiry.
 */
export function downloadRoute(called: Pick<Operation, 'path'>, file: LinkedFile, expiresMs: number, secret: string): string {
  const signature = signatureOf(file, expiresMs, secret).toString('base64url');
  return `${jobRoute(called, file.jobId)}/files/${encodeURIComponent(file.name)}?expires=${expiresMs}&signature=${signature}`;
}

/** Throws 403 `link_expired`, also for a signature that does not match the file. */
function checkLink(file: LinkedFile, sent: { readonly expires: string; readonly signature: string }, secret: string, nowMs: number) {
  const expiresMs = parseInstant(sent.expires) ?? 0;
  const made = signatureOf(file, expiresMs, secret);
  const signature = Buffer.from(sent.signature, 'base64url');
  const isOurs = signature.length === made.length && timingSafeEqual(signature, made);
  if (isOurs && nowMs < expiresMs) return;
  const why = isOurs ? 'This download route has expired.' : 'This download route is not valid for this file.';
  throw new Problem('link_expired', `${why} Request the result of the job again to get a new one.`);
}

/** File that lists all others. */
const MANIFEST_NAME = 'manifest.json';

function showFile(file: contract.ExportFile, route: string): Described<'ExportFile'> {
  const { name, contentType, bytes, sha256, isData } = file;
  return {
    name,
    kind: isData ? 'data' : 'support',
    content_type: contentType,
    bytes,
    sha256,
    symbol: isData ? file.symbol : null,
    day_utc: isData ? toUtc(file.dayMs).slice(0, 10) : null,
    rows: isData ? file.rows : null,
    first_time_utc: isData ? toUtc(file.firstMs) : null,
    last_time_utc: isData ? toUtc(file.lastMs) : null,
    download_route: route,
  };
}

/** Every response signs new download routes. */
export function getExportJobResult({ exports, linkSecret, now }: ExportsDeps): Handler<'getExportJobResult'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const jobId = call.input.path.job_id;
    const result = await fromExports(exports.call.getResult({ tenantId, jobId }));
    const expiresMs = now() + LINK_LIFE_MS;
    const files = result.files.map((file) =>
      showFile(file, downloadRoute(call.operation, { tenantId, jobId, name: file.name }, expiresMs, linkSecret)),
    );
    const fields = {
      job: showJob(call.operation, result.job),
      files,
      file_total: files.length,
      manifest: files.find(({ name }) => name === MANIFEST_NAME) ?? null,
      columns: result.columns.map(({ name, type }) => ({ name, type })),
      checkable: result.checkable,
      links_expire_at_utc: toUtc(expiresMs),
    };
    return accountAnswer(call, fields, 'Files of the export. Download routes are valid for 15 minutes.');
  };
}

/** Needs the download route and the tenant's key. Checks that the file exists first. */
export function getExportFile({ exports, exportedFiles, linkSecret, now }: ExportsDeps): Handler<'getExportFile'> {
  return async (call): Promise<FileAnswer> => {
    const { tenantId } = grantOf(call);
    const { job_id: jobId, name } = call.input.path;
    const { file } = await fromExports(exports.call.getFile({ tenantId, jobId, name }));
    if (file === undefined) throw internal({ detail: 'the export service returned no file' });
    checkLink({ tenantId, jobId, name }, call.input.query, linkSecret, now());
    return {
      name: file.name,
      contentType: file.contentType,
      sizeBytes: file.bytes,
      sha256: file.sha256,
      async *read({ from, to }, signal) {
        for await (const { data } of exportedFiles.call.readFile({ tenantId, jobId, name, fromByte: from, toByte: to }, { signal })) {
          yield data;
        }
      },
    };
  };
}
