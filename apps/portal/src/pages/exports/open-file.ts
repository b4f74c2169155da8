import type { Params, Schemas } from '@market-state/client';
import { service } from '../../service/client';

/** Opens a file of a job from a place on, by the download route that it has now. */
export async function openFile(jobId: string, file: Schemas['ExportFile'], from: number) {
  const link = Object.fromEntries(new URL(file.download_route, location.origin).searchParams);
  const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': `"${file.sha256}"` };
  const params = { job_id: jobId, name: file.name, ...link } as Params<'getExportFile'>;
  const { response } = await service.exports.file(params, { headers });
  return { body: response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null, isWhole: response.status === 200 };
}
