import { createHmac, timingSafeEqual } from 'node:crypto';
import type { exports as contract } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { fromExports, showJob, jobRoute } from '../../clients/show-job';
import { type FileAnswer, grantOf, type Handler } from '../../serving/answers/handler';
import type { ExportsDeps } from './export-jobs';
import { accountAnswer } from '../../serving/answers/account-answer';
import { toUtc, parseInstant } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { Problem } from '../../serving/errors/problem';
import type { Operation } from '../../serving/openapi/operations';

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
