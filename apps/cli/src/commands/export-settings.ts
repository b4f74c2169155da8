import type { CliCommand, Fault } from '../arguments/cli-command';
import { instantOption, numberOption, SYMBOL, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings } from '../client/settings';
import type { Row } from '../output/row-writer';
import { TIMEFRAMES } from '../reads/settings';

const JOB = /^exp_[0-9a-z]{26}$/;
const PARALLEL_MAX = 8;
const DATASETS = ['book', 'trades', 'candles', 'context', 'liquidations', 'packets'];
const FILE_FORMATS = ['parquet', 'csv', 'ndjson'];
const COMPRESSIONS = ['none', 'gzip', 'zstd', 'snappy'];
const DEPTH_MAX = 1_000;

/** An export that is ordered. */
export interface OrderSettings extends ClientSettings {
  readonly order: Row;
  readonly isAgreed: boolean;
  /** Waits for it, and writes its files here. */
  readonly out?: string;
}

/** A job, and where its files go. */
export interface JobSettings extends ClientSettings {
  readonly jobId: string;
  readonly out: string;
  readonly parallel: number;
}

export function withOrderOptions(command: CliCommand): CliCommand {
  return command
    .wordOption('--dataset <name>', 'which rows', DATASETS, 'packets')
    .option('--symbols <list>', 'separated by commas; without it, the first that is served')
    .option('--from <time>', 'start, inclusive; without it, 24 hours before the end')
    .option('--to <time>', 'end, exclusive, at most 31 days later; without it, the last instant recorded')
    .wordOption('--format <format>', 'format of the files', FILE_FORMATS, 'parquet')
    .wordOption('--compression <name>', 'of the files; snappy in Parquet alone', COMPRESSIONS)
    .wordOption('--tf <length>', 'length of a candle', TIMEFRAMES)
    .option('--depth <n>', 'of book: levels a side')
    .option('--columns <list>', 'these columns alone, separated by commas')
    .option('--out <folder>', 'wait for it, and write its files there')
    .option('--yes', 'order without asking');
}

export function readOrderSettings(operands: readonly string[], options: Options, fault: Fault): OrderSettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  const list = (name: string): readonly string[] | undefined => textOption(options, name)?.split(',');
  const oneOf = (name: string, flag: string, words: readonly string[]): string | undefined => {
    const text = textOption(options, name);
    if (text !== undefined && !words.includes(text)) fault(`${flag} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
    return text;
  };
  for (const symbol of list('symbols') ?? [])
    if (!SYMBOL.test(symbol)) fault(`--symbols must look like BTCUSD-PERP,ETHUSD-PERP, not ${JSON.stringify(symbol)}`);
  const [fromMs, toMs] = [instantOption(options, 'from', fault), instantOption(options, 'to', fault)];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) fault('--to must be after --from');
  const utc = (ms: number | undefined): string | undefined =>
    ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  const order = {
    dataset: oneOf('dataset', '--dataset', DATASETS),
    symbols: list('symbols'),
    from: utc(fromMs),
    to: utc(toMs),
    format: oneOf('format', '--format', FILE_FORMATS),
    compression: oneOf('compression', '--compression', COMPRESSIONS),
    tf: oneOf('tf', '--tf', TIMEFRAMES),
    depth: numberOption(options, 'depth', { min: 1, max: DEPTH_MAX, integer: true }, fault),
    columns: list('columns'),
  };
  return {
    ...readClientSettings(options, fault),
    order: Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined)),
    isAgreed: options['yes'] === true,
    out: textOption(options, 'out'),
  };
}

export function readJobSettings([jobId = '', ...more]: readonly string[], options: Options, fault: Fault): JobSettings {
  if (more.length > 0) fault(`one job at a time, not also ${more.join(', ')}`);
  if (!JOB.test(jobId)) fault(`a job is named by its id, exp_…, not by ${JSON.stringify(jobId)}; "market-state export list" lists them`);
  return {
    ...readClientSettings(options, fault),
    jobId,
    out: textOption(options, 'out') ?? jobId,
    parallel: numberOption(options, 'parallel', { min: 1, max: PARALLEL_MAX, integer: true }, fault) ?? 1,
  };
}
