import { endOf } from '../moments';
import { PLAYED, RECORDED, type Scene } from '../scene';
import type { Step } from '../step';

const JOBS = '/api/public/data/export/jobs';
const MINUTE_MS = 60_000;

interface ListedFile {
  readonly name: string;
  readonly kind: string;
  readonly download_route: string;
}

const fileRoute = (scene: Scene) => scene.thing('download_route');

/** One export from its order to its files, and another that is cancelled. */
export const exportSteps: readonly Step[] = [
  {
    operation: 'createExportJob',
    summary: 'Three minutes of trades as CSV, ordered.',
    body: (scene) => ({
      dataset: 'trades',
      symbols: [PLAYED],
      from: new Date(endOf(scene) - 3 * MINUTE_MS).toISOString(),
      to: scene.thing('window_end_utc'),
      format: 'csv',
      compression: 'none',
    }),
  },
  { operation: 'getExportJob', summary: 'A job whose files are ready.', until: ({ status }) => status === 'ready' },
  {
    operation: 'getExportJobResult',
    summary: 'The files, with their digests and download routes.',
    after: (scene, { body }) => {
      const files = body['files'] as readonly ListedFile[];
      scene.things.set('download_route', files.find(({ kind }) => kind === 'data')?.download_route ?? '');
    },
  },
  { operation: 'getExportFile', summary: 'The beginning of a CSV file.', path: fileRoute },
  {
    operation: 'getExportFile',
    status: 206,
    summary: 'The first 200 bytes of a CSV file.',
    path: fileRoute,
    headers: () => ({ range: 'bytes=0-199' }),
  },
  { operation: 'getExportJobReviewPack', summary: 'What a reviewer of the files needs.', items: 1 },
  { operation: 'listExportJobs', summary: 'The newest two jobs.', query: () => ({ limit: 2 }) },
  {
    operation: 'cancelExportJob',
    summary: 'A job that was cancelled before it began.',
    async before(scene) {
      const { job_id: jobId } = await scene.call('POST', JOBS, { dataset: 'book', symbols: [RECORDED], format: 'csv', depth: 25 });
      scene.things.set('job_id', String(jobId));
    },
  },
];
