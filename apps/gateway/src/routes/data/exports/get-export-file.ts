import { internal } from '@market-state/errors';
import { fromExports } from '../../../clients/exports/from-exports';
import { type FileAnswer, grantOf, type Handler } from '../../../serving/answers/handler';
import { checkLink } from './download-link';
import type { ExportsDeps } from './exports-deps';

/** A file of a job, to whoever has its download route and the tenant's key. Whether there is such a file is found out first. */
export function getExportFile({ exports, exportedFiles, linkSecret, now }: ExportsDeps): Handler<'getExportFile'> {
  return async (call): Promise<FileAnswer> => {
    const { tenantId } = grantOf(call);
    const { job_id: jobId, name } = call.input.path;
    const { file } = await fromExports(exports.call.getFile({ tenantId, jobId, name }));
    if (file === undefined) throw internal({ detail: 'the export service sent no file' });
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
