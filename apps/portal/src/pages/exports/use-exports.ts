import { useRead, read, service } from '../../service/client';
import type { Params, Quote, Schemas } from '@market-state/client';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SymbolSource } from '../../status-components/source-ribbon';
import { readPages } from '../../service/read-pages';
import { sourcesOf } from './job-documents';
import { readFile } from './read-file';
import { type Order, orderParams } from './order';

async function openFile(jobId: string, file: Schemas['ExportFile'], from: number) {
  const link = Object.fromEntries(new URL(file.download_route, location.origin).searchParams);
  const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': `"${file.sha256}"` };
  const params = { job_id: jobId, name: file.name, ...link } as Params<'getExportFile'>;
  const { response } = await service.exports.file(params, { headers });
  return { body: response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null, isWhole: response.status === 200 };
}

/** Reads a file of a job; its digest is checked. */
export function readJobFile(jobId: string, file: Schemas['ExportFile'], onRead: (bytes: number) => void = () => undefined): Promise<Blob> {
  return readFile(file, (from) => openFile(jobId, file, from), onRead);
}

export type Job = Schemas['ExportJobRecord'];
export type ExportFile = Schemas['ExportFile'];

const JOBS = ['exports', 'jobs'] as const;
const JOBS_A_PAGE = 50;
const LIST_MAX = 1_000;
const POLL_MS = 2_000;
/** Download links expire after 15 minutes. */
const LINKS_FRESH_MS = 600_000;

export const isUnderWay = ({ status }: Job): boolean => status === 'queued' || status === 'running' || status === 'publishing';

/** Polls while a job is active. Free. */
export function useJobs(status: NonNullable<Params<'listExportJobs'>['status']>) {
  return useInfiniteQuery({
    queryKey: [...JOBS, status],
    queryFn: ({ signal, pageParam: cursor }) =>
      read(
        service.exports.list(
          { limit: JOBS_A_PAGE, ...(status === '' ? {} : { status }), ...(cursor === '' ? {} : { cursor }) },
          { signal },
        ),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state: { data } }) => (data?.pages.some(({ jobs }) => jobs.some(isUnderWay)) === true ? POLL_MS : false),
    placeholderData: keepPreviousData,
  });
}

export function readJobs(status: NonNullable<Params<'listExportJobs'>['status']>) {
  return readPages(service.exports.rows({ limit: LIST_MAX, ...(status === '' ? {} : { status }) }), ({ jobs }) => jobs);
}

export function useJob(jobId: string) {
  return useRead([...JOBS, 'one', jobId], (options) => service.exports.get({ job_id: jobId }, options), {
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? POLL_MS : false),
  });
}

export function useFiles(jobId: string) {
  return useRead(['exports', 'files', jobId], (options) => service.exports.result({ job_id: jobId }, options), {
    staleTime: LINKS_FRESH_MS,
    refetchInterval: LINKS_FRESH_MS,
  });
}

/** Source information from a job's manifest, whose digest is checked. It never changes while the files exist. */
export function useSources(jobId: string) {
  const files = useFiles(jobId);
  const manifest = files.data?.files.find(({ name }) => name === 'manifest.json');
  return useQuery({
    queryKey: ['exports', 'sources', jobId],
    queryFn: async (): Promise<readonly SymbolSource[]> => {
      if (manifest === undefined) return [];
      const read = await readJobFile(jobId, manifest);
      return sourcesOf(JSON.parse(await read.text()));
    },
    enabled: manifest !== undefined,
    staleTime: Infinity,
  });
}

export function useReviewPack(jobId: string) {
  return useQuery({
    queryKey: ['exports', 'review', jobId],
    queryFn: async ({ signal }) => (await read(service.exports.reviewPack({ job_id: jobId }, { signal }))).review_pack,
    staleTime: Infinity,
  });
}

export interface QuotedOrder {
  readonly order: Order;
  readonly quote: Quote<unknown>;
}

/** Free. */
export function useQuoteOrder() {
  return useMutation({
    mutationFn: async (order: Order): Promise<QuotedOrder> => ({
      order,
      quote: await service.quote('createExportJob', orderParams(order)),
    }),
  });
}

/** A quote ends with its unique signature; the whole text is too long for a key. */
const KEY_LENGTH = 64;

/** A quote starts one job, however often the button is pressed. */
export function usePlaceExport(onDone: (jobId: string) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ order, quote }: QuotedOrder) =>
      read(
        service.exports.create(orderParams(order), {
          quoteId: quote.id,
          maxCredits: quote.maxExportCredits,
          idempotencyKey: quote.id.slice(-KEY_LENGTH),
        }),
      ),
    async onSuccess({ job_id: jobId }) {
      onDone(jobId);
      await queries.invalidateQueries({ queryKey: JOBS });
    },
  });
}

export function useCancelJob() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (jobId: string) => read(service.exports.cancel({ job_id: jobId })),
    onSuccess: () => queries.invalidateQueries({ queryKey: JOBS }),
  });
}
