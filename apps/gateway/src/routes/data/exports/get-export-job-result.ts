import type { exports as contract } from '@market-state/contracts';
import { fromExports } from '../../../clients/exports/from-exports';
import { showJob } from '../../../clients/exports/show-job';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { toUtc } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';
import { downloadRoute, LINK_LIFE_MS } from './download-link';
import type { ExportsDeps } from './exports-deps';

/** Name of the file that lists all others. */
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

/** The files of a job, each with a download route that is signed anew for every reader. */
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
    return accountAnswer(call, fields, 'The files of the export; its download routes are good for 15 minutes.');
  };
}
