import type { MarketState, OperationId } from '../src';
import type { Example, Given } from './example';

/** Exports one minute of trades. */
async function order(ms: MarketState, { symbol, from, to }: Given): Promise<string> {
  const { data } = await ms.exports.create({ dataset: 'trades', symbols: [symbol], from, to, format: 'csv' });
  return data.job_id;
}

async function ready(ms: MarketState, given: Given): Promise<string> {
  const { job_id: jobId, status } = await ms.exports.wait(await order(ms, given));
  if (status !== 'ready') throw new Error(`the job is ${status}`);
  return jobId;
}

export const exportExamples = {
  createExportJob: async (ms, given) => {
    const job = await ms.exports.create({ dataset: 'trades', symbols: [given.symbol], from: given.from, to: given.to, format: 'ndjson' });
    return (await ms.exports.download(job, given.folder)).map(({ path }) => path);
  },
  listExportJobs: (ms) => ms.exports.rows({ limit: 10 }).take(10),
  getExportJob: async (ms, given) => ms.exports.get({ job_id: await order(ms, given) }),
  cancelExportJob: async (ms, given) => ms.exports.cancel({ job_id: await order(ms, given) }),
  getExportJobResult: async (ms, given) => ms.exports.result({ job_id: await ready(ms, given) }),
  getExportJobReviewPack: async (ms, given) => ms.exports.reviewPack({ job_id: await ready(ms, given) }),
  getExportFile: async (ms, given) => {
    const jobId = await ready(ms, given);
    const { data } = await ms.exports.result({ job_id: jobId });
    const file = data.files[0];
    if (file === undefined) throw new Error('the job has no file');
    const link = Object.fromEntries(new URL(file.download_route, 'http://localhost').searchParams);
    const { response } = await ms.exports.file({ job_id: jobId, name: file.name, ...link }, { headers: { range: 'bytes=0-9' } });
    return response.text();
  },
} satisfies Partial<Record<OperationId, Example>>;
