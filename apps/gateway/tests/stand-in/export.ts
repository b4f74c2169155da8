import { type account, createMessage, exports } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, notFound, resourceExhausted, unavailable, unknownSymbol } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';
import { READY_FILES, type StandInFile } from './export-files';
import { createStandInJobs, type StandInJobs } from './export-jobs';

const { JobStatus, Dataset, FileFormat, Compression } = exports;

/** Bytes per message of a file. */
export const MESSAGE_BYTES = 262_144;
const DOWNLOADS_MAX = 4;
/** End of the recording. */
export const RECORDED_TO_MS = Date.parse('2026-01-02T00:00:00.000Z');
const DAY_MS = 86_400_000;
/** Job of the first key's tenant, present from the start. */
export const READY_JOB = 'job_ready';

export interface StandInExport {
  readonly address: string;
  readonly jobs: StandInJobs;
  /** Sets the rows of every later plan. */
  setRowTotal(rows: number): void;
  /** Refuses later orders for this reason; null accepts them. */
  setRefusal(refusal: account.Refusal | 'result_too_large' | 'too_many_jobs' | 'beyond_retention' | 'nothing_recorded' | null): void;
  finish(jobId: string): void;
  /** Sets how files are read: whole, silent immediately or after the first message, cut there, or one byte short. */
  setReading(reading: 'whole' | 'mute' | 'silent' | 'cut' | 'short'): void;
  orders(): readonly exports.CreateJobRequest[];
  planned(): readonly exports.PlanExportRequest[];
  /** Files being read, and messages requested so far. */
  readingTotal(): number;
  messageTotal(): number;
  close(): Promise<void>;
}

function creditsOf(rows: number): number {
  return 1 + Math.ceil(rows / 100_000);
}

/** In-memory export service: jobs stay queued until made ready. */
export async function startStandInExport(symbols: readonly string[], now: () => number): Promise<StandInExport> {
  const jobs = createStandInJobs();
  const orders: exports.CreateJobRequest[] = [];
  const planned: exports.PlanExportRequest[] = [];
  const readingOf = new Map<string, number>();
  let [rowTotal, made, messageTotal] = [250_000, 0, 0];
  let refusal: Parameters<StandInExport['setRefusal']>[0] = null;
  let reading: Parameters<StandInExport['setReading']>[0] = 'whole';

  function resolve(spec: exports.ExportSpec, asOfMs: number): exports.ExportSpec {
    const unknown = spec.symbols.find((symbol) => !symbols.includes(symbol));
    if (unknown !== undefined) throw unknownSymbol(unknown, symbols);
    if (refusal === 'beyond_retention')
      throw failedPrecondition('beyond_retention', 'These rows are past retention.', { metadata: { oldest_ms: '1000' } });
    if (refusal === 'nothing_recorded') throw failedPrecondition('nothing_recorded', 'Nothing is recorded yet of the symbols asked for.');
    if (refusal === 'result_too_large')
      throw failedPrecondition('result_too_large', 'Too large.', { metadata: { bytes: '2147483648', bytes_max: '1073741824' } });
    const toMs = Math.min(spec.toMs === 0 ? RECORDED_TO_MS : spec.toMs, RECORDED_TO_MS);
    const fromMs = spec.fromMs === 0 ? toMs - DAY_MS : spec.fromMs;
    if (fromMs >= toMs) throw invalidArgument([{ field: 'spec.from_ms', message: 'must be before what is recorded', type: 'window' }]);
    const compression = spec.compression === Compression.UNSPECIFIED ? Compression.ZSTD : spec.compression;
    return { ...spec, symbols: spec.symbols.length === 0 ? symbols.slice(0, 1) : spec.symbols, fromMs, toMs, asOfMs, compression };
  }

  function jobOf(jobId: string, spec: exports.ExportSpec, operationId: string): exports.Job {
    return {
      jobId,
      status: JobStatus.QUEUED,
      progress: 0,
      spec,
      rowTotal: 0,
      byteTotal: 0,
      partTotal: spec.symbols.length,
      partsMade: 0,
      estimatedExportCredits: creditsOf(rowTotal),
      createdMs: now(),
      startedMs: 0,
      finishedMs: 0,
      expiresMs: 0,
      receiptId: '',
      operationId,
    };
  }

  function finish(jobId: string): void {
    const times = { startedMs: now(), finishedMs: now(), expiresMs: now() + 7 * DAY_MS };
    const totals = { progress: 1, rowTotal: 8_640, byteTotal: 700_000, partsMade: 1, observedExportCredits: 2, receiptId: 'rcp_1' };
    jobs.change(jobId, { status: JobStatus.READY, ...times, ...totals });
  }

  function fileOf(tenantId: string, jobId: string, name: string): StandInFile {
    jobs.readyOf(tenantId, jobId);
    const found = READY_FILES.find(({ file }) => file.name === name);
    if (found === undefined) throw notFound('unknown_file', 'The export has no such file.');
    return found;
  }

  async function* messagesOf(bytes: Buffer, signal: AbortSignal): AsyncGenerator<exports.ReadFileResponse> {
    for (let at = 0; at < bytes.length; at += MESSAGE_BYTES) {
      if (at > 0 && reading === 'cut') throw unavailable('upstream_unavailable', 'The store cannot be reached.');
      if (reading === 'mute' || (at > 0 && reading === 'silent')) await new Promise((over) => signal.addEventListener('abort', over));
      if (signal.aborted) return;
      messageTotal += 1;
      yield { data: bytes.subarray(at, at + MESSAGE_BYTES) };
    }
  }

  const service = bindService(exports.ExportServiceService, {
    async planExport(request) {
      planned.push(request);
      const spec = request.spec ?? createMessage(exports.ExportSpec);
      const plan = { rowTotal, byteTotal: rowTotal * 40, partTotal: 1, exportCredits: creditsOf(rowTotal) };
      return { spec: resolve(spec, 0), ...plan };
    },
    async createJob(request) {
      orders.push(request);
      const tenantId = request.caller?.tenantId ?? '';
      const known = jobs.ofOperation(tenantId, request.operationId);
      if (known !== undefined) return { job: known, exportCredits: known.estimatedExportCredits, aboveBound: false };
      if (refusal === 'too_many_jobs')
        throw resourceExhausted('too_many_jobs', 'The limit on queued export jobs is reached.', { metadata: { retry_after_s: '30' } });
      const spec = resolve(request.spec ?? createMessage(exports.ExportSpec), now());
      const exportCredits = creditsOf(rowTotal);
      if (request.exportCreditsMax !== undefined && exportCredits > request.exportCreditsMax) return { exportCredits, aboveBound: true };
      if (refusal !== null && typeof refusal !== 'string') return { refusal, exportCredits, aboveBound: false };
      made += 1;
      const job = jobOf(`job_${made}`, spec, request.operationId);
      jobs.add(tenantId, job);
      return { job, exportCredits, aboveBound: false };
    },
    async getJob({ tenantId, jobId }) {
      return { job: jobs.of(tenantId, jobId) };
    },
    async listJobs({ tenantId, statuses, pageSize, pageToken }) {
      const from = pageToken === '' ? 0 : Number(/^\["j",(\d+)\]$/.exec(Buffer.from(pageToken, 'base64url').toString())?.[1]);
      if (!Number.isSafeInteger(from) || pageSize < 1 || pageSize > 100)
        throw invalidArgument([{ field: 'page_token', message: 'is malformed', type: 'malformed' }]);
      const all = jobs.listOf(tenantId, statuses);
      const next = from + pageSize;
      const nextPageToken = next < all.length ? Buffer.from(`["j",${next}]`).toString('base64url') : '';
      return { jobs: all.slice(from, next), nextPageToken };
    },
    async cancelJob({ tenantId, jobId }) {
      const { status } = jobs.of(tenantId, jobId);
      const ends = status === JobStatus.QUEUED || status === JobStatus.RUNNING;
      if (ends) jobs.change(jobId, { status: JobStatus.CANCELLED, finishedMs: now() });
      return { job: jobs.of(tenantId, jobId) };
    },
    async getResult({ tenantId, jobId }) {
      const job = jobs.readyOf(tenantId, jobId);
      return { job, files: READY_FILES.map(({ file }) => file), columns: [{ name: 'symbol', type: 'VARCHAR' }], checkable: true };
    },
    async getReviewPack({ tenantId, jobId }) {
      jobs.readyOf(tenantId, jobId);
      return { reviewPack: Buffer.from(JSON.stringify({ request: { dataset: 'packets' }, rows_delivered: 8_640 })) };
    },
    async getFile({ tenantId, jobId, name }) {
      return { file: fileOf(tenantId, jobId, name).file };
    },
    async *readFile({ tenantId, jobId, name, fromByte, toByte }, { signal }) {
      const { bytes } = fileOf(tenantId, jobId, name);
      const running = readingOf.get(tenantId) ?? 0;
      if (running >= DOWNLOADS_MAX) throw resourceExhausted('too_many_downloads', '4 downloads of this tenant are running.');
      readingOf.set(tenantId, running + 1);
      try {
        const to = toByte === 0 ? bytes.length : toByte;
        yield* messagesOf(bytes.subarray(fromByte, reading === 'short' ? to - 1 : to), signal);
      } finally {
        readingOf.set(tenantId, (readingOf.get(tenantId) ?? 1) - 1);
      }
    },
  });
  const server: GrpcServer = await startGrpcServer({
    ...testServing('export'),
    address: '127.0.0.1:0',
    services: [service],
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  const seeded: exports.ExportSpec = {
    dataset: Dataset.PACKETS,
    symbols: symbols.slice(0, 1),
    fromMs: RECORDED_TO_MS - DAY_MS,
    toMs: RECORDED_TO_MS,
    asOfMs: RECORDED_TO_MS,
    format: FileFormat.PARQUET,
    compression: Compression.ZSTD,
    intervalMs: 0,
    depth: 0,
    columns: [],
  };
  jobs.add('ten_1', jobOf(READY_JOB, seeded, 'op_seeded'));
  finish(READY_JOB);
  return {
    address: server.address,
    jobs,
    setRowTotal: (rows) => void (rowTotal = rows),
    setRefusal: (next) => void (refusal = next),
    setReading: (next) => void (reading = next),
    finish,
    orders: () => orders,
    planned: () => planned,
    readingTotal: () => [...readingOf.values()].reduce((sum, total) => sum + total, 0),
    messageTotal: () => messageTotal,
    close: () => server.close(),
  };
}
