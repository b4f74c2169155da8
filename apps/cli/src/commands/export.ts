import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { BudgetError, type Params, type Schemas } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, numberOption, type Options, spanOption, textOption, wordOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { listCommand } from '../client/call-command';
import { isPassing } from '../client/open-service';
import { runCall, runClient, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { withOutput } from '../io/line-output';
import { createProgress, type Progress } from '../io/progress';
import { createRowWriter, present, type Row, writeObject } from '../output/row-writer';
import { formatOf, type OutputSettings } from '../output/settings';
import { EXPORT_JOBS, REVIEW_PACK } from '../reads/own-reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, TIMEFRAMES } from '../reads/settings';

const ENDED_OTHERWISE: ReadonlySet<string> = new Set(['failed', 'cancelled', 'expired']);

/** Exits with 3 if the job ended without files. */
async function showJob(job: { readonly status: string }, settings: OutputSettings, io: CliIo): Promise<ExitCode> {
  await withOutput(io, undefined, (output) => writeObject(output, { ...job }, formatOf(settings, io.stdout), settings.fields));
  return ENDED_OTHERWISE.has(job.status) ? EXIT.incomplete : EXIT.done;
}

const COLUMNS = ['name', 'kind', 'bytes', 'rows', 'sha256', 'path'];

async function waitForJob(
  { ms }: Pick<Session, 'ms'>,
  jobId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Schemas['ExportJob']> {
  const job = await ms.exports.wait(jobId, {
    signal,
    onProgress: ({ status, parts_made: made, part_total: total }) =>
      progress.report(() => `${jobId}: ${status}, ${count(made)} of ${counted(total, 'file')}`),
  });
  progress.end();
  return job;
}

/** Long enough to outlast a service restart. */
const TRIES = 15;
const AGAIN_MS = 2_000;

/** Retries resumable work while the service is unreachable or busy. */
async function goingOn<T>(work: () => Promise<T>, { say }: Session, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || tries >= TRIES) throw error;
      say(`connection lost; resuming the download in ${AGAIN_MS / 1_000} s`);
      await wait(AGAIN_MS, undefined, { signal });
    }
  }
}

async function fetchFiles(session: Session, settings: JobSettings, io: CliIo): Promise<ExitCode> {
  const { jobId, out, parallel } = settings;
  const { ms, say } = session;
  using progress = createProgress(io);
  const job = await waitForJob(session, jobId, progress, io.signal);
  if (job.status !== 'ready') return await showJob(job, settings, io);
  const had = new Map<string, number>();
  const folder = resolve(io.cwd, out);
  const options = {
    signal: io.signal,
    parallel,
    onBytes(file: Schemas['ExportFile'], sizeBytes: number) {
      had.set(file.name, sizeBytes);
      progress.report(() => `${jobId}: ${count([...had.values()].reduce((sum, bytes) => sum + bytes, 0))} bytes`);
    },
  };
  const files = await goingOn(() => ms.exports.download(jobId, folder, options), session, io.signal);
  progress.end();
  await withOutput(io, undefined, async (output) => {
    const { fields } = settings;
    const form = { format: formatOf(settings, io.stdout), columns: fields ?? COLUMNS, areChosen: true, isLive: false };
    const writer = createRowWriter(output, form);
    for (const { file, path } of files)
      await writer.write({ ...file, rows: form.format === 'table' ? (file.rows ?? 'none') : file.rows, path });
    await writer.end();
  });
  const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0);
  say(`${counted(files.length, 'file')}, ${count(bytes)} bytes, SHA-256 verified, in ${folder}`);
  say(`charged: ${counted(job.observed_export_credit_cost ?? 0, 'export credit')}, receipt ${job.receipt_id ?? 'none'}`);
  return EXIT.done;
}

const PARALLEL = 4;

function orderExport(settings: OrderSettings, io: CliIo): Promise<ExitCode> {
  const params = settings.order as Params<'createExportJob'>;
  return runCall(io, settings, { operation: 'createExportJob', params: settings.order }, async (session) => {
    const { ms, say } = session;
    const quote = await ms.quote('createExportJob', params);
    const { maxExportCredits: credits, estimate } = quote;
    const plan = estimate.export_plan;
    if (plan !== undefined) {
      const { row_total: rows, byte_total: bytes, part_total: parts, request } = plan;
      const span = `${instant(Date.parse(request.from_utc))} until ${instant(Date.parse(request.to_utc))}`;
      say(`${request.dataset} of ${request.symbols.join(', ')}, ${span}, ${request.format}`);
      say(`at most ${counted(rows, 'row')}, about ${count(bytes)} bytes in ${counted(parts, 'file')}`);
    }
    say(`cost: at most ${counted(credits, 'export credit')}; ${count(estimate.export_credits_after)} left afterwards`);
    if (credits > settings.maxCredits)
      throw new BudgetError(
        `The export could cost ${count(credits)} export credits; the limit is ${count(settings.maxCredits)}.`,
        credits,
        settings.maxCredits,
      );
    if (!settings.isAgreed && !(await agrees(io))) {
      say('Cancelled; nothing was ordered.');
      return EXIT.done;
    }
    const { data: job } = await quote.run();
    say(`ordered ${job.job_id}; ${counted(job.estimated_export_credit_cost, 'export credit')} reserved`);
    if (settings.out === undefined) return showJob(job, settings, io);
    return fetchFiles(session, { ...settings, jobId: job.job_id, out: settings.out, parallel: PARALLEL }, io);
  });
}

/** @throws CliError (bad input) if stdin is not a terminal */
async function agrees(io: CliIo): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw badInput('Cannot prompt: not a terminal. Pass --yes to confirm.');
  const asking = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question('Create this export? [y/N] ', { signal: io.signal })).trim());
  } finally {
    asking.close();
  }
}

/** `export create`, `list`, `wait`, `download` and `review`. */
export function exportCommand(): CliCommand {
  return new CliCommand('export')
    .summary('export rows and packets as files')
    .addCommand(createCommand())
    .addCommand(listCommand(new CliCommand('list'), EXPORT_JOBS))
    .addCommand(waitCommand())
    .addCommand(downloadCommand())
    .addCommand(reviewCommand());
}

function createCommand(): CliCommand {
  return withClientOptions(withOrderOptions(new CliCommand('create')))
    .summary('create an export, after showing its size and cost')
    .description('Shows the maximum rows and export credits, then asks for confirmation. --max-credits also limits export credits.')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state export create --dataset trades --symbols BTCUSD-PERP --from 2026-05-01 --to 2026-06-01 --yes --out trades-of-may\n',
    )
    .runs<OrderSettings>(readOrderSettings, orderExport);
}

function waitCommand(): CliCommand {
  return withClientOptions(new CliCommand('wait'))
    .summary('wait until a job ends')
    .description('Exits with 0 when the files are ready, 3 if the job ends without files.')
    .argument('<job>', 'job id')
    .runs<JobSettings>(readJobSettings, waitFor);
}

function waitFor(settings: JobSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    using progress = createProgress(io);
    return await showJob(await waitForJob(session, settings.jobId, progress, io.signal), settings, io);
  });
}

function downloadCommand(): CliCommand {
  return withClientOptions(new CliCommand('download'))
    .summary('download the files of a job')
    .description(
      'Waits for a job and downloads its files to a folder. An interrupted download resumes; a file gets its final name once ' +
        'its SHA-256 is verified.',
    )
    .argument('<job>', 'job id')
    .option('--out <folder>', 'download folder (default: the job id)')
    .option('--parallel <n>', 'parallel downloads, 1 to 8', '4')
    .runs<JobSettings>(readJobSettings, (settings, io) => runClient(io, settings, (session) => fetchFiles(session, settings, io)));
}

function reviewCommand(): CliCommand {
  return withClientOptions(new CliCommand('review'))
    .summary('show the review pack of a job: plan, digests, gaps and days')
    .argument('<job>', 'job id')
    .runs<ReadSettings>((operands, options, fault) => {
      const { jobId } = readJobSettings(operands, options, fault);
      const settings = readReadSettings(REVIEW_PACK, [], options, fault);
      return { ...settings, params: { job_id: jobId } };
    }, runRead);
}

const JOB = /^exp_[0-9a-z]{26}$/;
const PARALLEL_MAX = 8;
const DATASETS = ['book', 'trades', 'candles', 'context', 'liquidations', 'packets'];
const FILE_FORMATS = ['parquet', 'csv', 'ndjson'];
const COMPRESSIONS = ['none', 'gzip', 'zstd', 'snappy'];
const DEPTH_MAX = 1_000;

interface OrderSettings extends ClientSettings {
  readonly order: Row;
  readonly isAgreed: boolean;
  /** If set, waits for the job and downloads its files here. */
  readonly out?: string;
}

interface JobSettings extends ClientSettings {
  readonly jobId: string;
  readonly out: string;
  readonly parallel: number;
}

export function withOrderOptions(command: CliCommand): CliCommand {
  return command
    .wordOption('--dataset <name>', 'rows to export', DATASETS, 'packets')
    .option('--symbols <list>', 'comma-separated symbols (default: the first in the catalog)')
    .option('--from <time>', 'start, inclusive (default: 24 hours before the end)')
    .option('--to <time>', 'end, exclusive, at most 31 days later (default: the last recorded instant)')
    .wordOption('--format <format>', 'file format', FILE_FORMATS, 'parquet')
    .wordOption('--compression <name>', 'file compression; snappy is for Parquet only', COMPRESSIONS)
    .wordOption('--tf <length>', 'candle length', TIMEFRAMES)
    .option('--depth <n>', 'book levels per side')
    .option('--columns <list>', 'only these columns, comma-separated')
    .option('--out <folder>', 'wait for the job and download its files here')
    .option('--yes', 'skip the confirmation prompt');
}

export function readOrderSettings(operands: readonly string[], options: Options, fault: Fault): OrderSettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  const list = (name: string): readonly string[] | undefined => textOption(options, name)?.split(',');
  for (const symbol of list('symbols') ?? []) checkSymbol(symbol, fault, 'each of --symbols');
  const order = present({
    dataset: wordOption(options, 'dataset', DATASETS, fault),
    symbols: list('symbols'),
    ...spanOption(options, fault),
    format: wordOption(options, 'format', FILE_FORMATS, fault),
    compression: wordOption(options, 'compression', COMPRESSIONS, fault),
    tf: wordOption(options, 'tf', TIMEFRAMES, fault),
    depth: numberOption(options, 'depth', { min: 1, max: DEPTH_MAX, integer: true }, fault),
    columns: list('columns'),
  });
  return {
    ...readClientSettings(options, fault),
    order,
    isAgreed: options['yes'] === true,
    out: textOption(options, 'out'),
  };
}

function readJobSettings([jobId = '', ...more]: readonly string[], options: Options, fault: Fault): JobSettings {
  if (more.length > 0) fault(`name one job only, not also ${more.join(', ')}`);
  if (!JOB.test(jobId))
    fault(`a job id is exp_ and 26 characters, got ${JSON.stringify(jobId)}; "market-state export list" shows your jobs`);
  return {
    ...readClientSettings(options, fault),
    jobId,
    out: textOption(options, 'out') ?? jobId,
    parallel: numberOption(options, 'parallel', { min: 1, max: PARALLEL_MAX, integer: true }, fault) ?? 1,
  };
}
