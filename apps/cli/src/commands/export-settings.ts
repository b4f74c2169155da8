import type { CliCommand, Fault } from '../arguments/cli-command';
import { checkSymbol, numberOption, spanOption, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings } from '../client/settings';
import { present, type Row } from '../output/row-writer';
import { TIMEFRAMES } from '../reads/settings';

const JOB = /^exp_[0-9a-z]{26}$/;
const PARALLEL_MAX = 8;
const DATASETS = ['book', 'trades', 'candles', 'context', 'liquidations', 'packets'];
const FILE_FORMATS = ['parquet', 'csv', 'ndjson'];
const COMPRESSIONS = ['none', 'gzip', 'zstd', 'snappy'];
const DEPTH_MAX = 1_000;

export interface OrderSettings extends ClientSettings {
  readonly order: Row;
  readonly isAgreed: boolean;
  /** If set, waits for the job and downloads its files here. */
  readonly out?: string;
}

export interface JobSettings extends ClientSettings {
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
  const oneOf = (name: string, flag: string, words: readonly string[]): string | undefined => {
    const text = textOption(options, name);
    if (text !== undefined && !words.includes(text)) fault(`${flag} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
    return text;
  };
  for (const symbol of list('symbols') ?? []) checkSymbol(symbol, fault, 'each of --symbols');
  const order = present({
    dataset: oneOf('dataset', '--dataset', DATASETS),
    symbols: list('symbols'),
    ...spanOption(options, fault),
    format: oneOf('format', '--format', FILE_FORMATS),
    compression: oneOf('compression', '--compression', COMPRESSIONS),
    tf: oneOf('tf', '--tf', TIMEFRAMES),
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

export function readJobSettings([jobId = '', ...more]: readonly string[], options: Options, fault: Fault): JobSettings {
  if (more.length > 0) fault(`name one job only, not also ${more.join(', ')}`);
  if (!JOB.test(jobId)) fault(`a job id starts with exp_…, got ${JSON.stringify(jobId)}; "market-state export list" shows your jobs`);
  return {
    ...readClientSettings(options, fault),
    jobId,
    out: textOption(options, 'out') ?? jobId,
    parallel: numberOption(options, 'parallel', { min: 1, max: PARALLEL_MAX, integer: true }, fault) ?? 1,
  };
}
