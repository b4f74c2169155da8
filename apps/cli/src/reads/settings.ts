import type { OperationId } from '@market-state/client';
import { describeOperation, operationAt } from '@market-state/client/operations';
import { type CliCommand, closestWord, type Fault } from '../arguments/cli-command';
import { checkSymbol, EVENT_ID, numberOption, type Options, spanOption, textOption, utcOption, wordOption } from '../arguments/values';
import { type ClientSettings, readClientSettings } from '../client/settings';
import { present, type Row } from '../output/row-writer';
import { optionsOf, type Read, READ_OPTIONS, type ReadOption } from './read';
import { readOfOperation, READS } from './reads';

const LIMIT_MAX = 1_000_000;
const PAGE_ROWS_MAX = 1_000;
const DEPTH_MAX = 1_000;
const SECONDS = { min: 30, max: 3_600, integer: true };
export const TIMEFRAMES: readonly string[] = ['1m', '5m', '15m', '1h', '4h', '1d'];
const STEPS: readonly string[] = ['day', 'hour'];
/** Options with a fixed set of values. */
const WORDS: Partial<Record<ReadOption, readonly string[]>> = { tf: TIMEFRAMES, step: STEPS };

export interface ReadSettings extends ClientSettings {
  readonly read: Read;
  readonly operation: OperationId;
  readonly params: Row;
  /** Most rows over all pages; absent: all. */
  readonly limit?: number;
}

const DESCRIPTIONS: Readonly<Record<ReadOption, readonly [flag: string, text: string]>> = {
  venue: ['--venue <venue>', 'venue of the symbol, if it has several (default: its primary one)'],
  limit: ['--limit <n>', 'most rows to show'],
  depth: ['--depth <n>', 'levels a side'],
  tf: ['--tf <length>', 'candle length'],
  step: ['--step <length>', 'row length, UTC'],
  seconds: ['--seconds <n>', 'seconds back from now, 30 to 3600'],
  from: ['--from <time>', 'start, inclusive: UTC time, epoch milliseconds, or relative: -1h, yesterday'],
  to: ['--to <time>', 'end, exclusive'],
  asOf: ['--as-of <time>', 'only data known at this instant'],
};

export function withReadOptions(command: CliCommand, reads: readonly Read[]): CliCommand {
  const taken = (Object.keys(READ_OPTIONS) as ReadOption[]).filter((name) => reads.some((read) => optionsOf(read).includes(name)));
  for (const name of taken) {
    const [flags, text] = DESCRIPTIONS[name];
    const words = WORDS[name];
    if (words === undefined) command.option(flags, text);
    else command.wordOption(flags, text, words);
  }
  return command;
}

export interface GetSettings extends ReadSettings {
  /** Show the newest packets again at each packet. */
  readonly isWatched: boolean;
}

/** `get <what> [symbol]`, or a path of the service. */
export function readGetSettings(operands: readonly string[], options: Options, fault: Fault): GetSettings {
  const [what = '', ...of] = operands;
  const isWatched = options['watch'] === true;
  if (isWatched && what !== 'latest') fault('--watch applies to latest; tail follows other data');
  if (what.startsWith('/')) return { ...readPath(what, of, options, fault), isWatched };
  const read = READS[what];
  if (read === undefined && what !== '')
    fault(`<what> must be one of ${Object.keys(READS).join(', ')}, or a path: /…, not ${JSON.stringify(what)}${suggestionOf(what)}`);
  return { ...readReadSettings(read ?? (READS['latest'] as Read), of, options, fault), isWatched };
}

export function readReadSettings(read: Read, of: readonly string[], options: Options, fault: Fault): ReadSettings {
  const [named, ...more] = of;
  if (more.length > 0) fault(`name one only, not also ${more.join(', ')}`);
  for (const name of Object.keys(READ_OPTIONS) as ReadOption[])
    if (options[name] !== undefined && !optionsOf(read).includes(name)) fault(`${DESCRIPTIONS[name][0].split(' ')[0]} cannot be used here`);
  const limit = numberOption(options, 'limit', { min: 1, max: LIMIT_MAX, integer: true }, fault);
  const place = placeOf(read, named, fault);
  return {
    ...readClientSettings(options, fault),
    read,
    operation: place['event_id'] !== undefined && read.of === 'symbol or event' ? 'getPacketWorkbench' : read.operation,
    params: { ...read.params, ...place, ...optionParams(options, limit, fault) },
    limit,
  };
}

/** The resource that a symbol or a mistyped word was meant for; empty if none is close. */
function suggestionOf(what: string): string {
  const meant = closestWord(what, Object.keys(READS));
  return meant === undefined ? '' : `. Did you mean ${meant}?`;
}

function optionParams(options: Options, limit: number | undefined, fault: Fault): Row {
  return present({
    venue: textOption(options, 'venue'),
    limit: limit === undefined ? undefined : Math.min(limit, PAGE_ROWS_MAX),
    depth: numberOption(options, 'depth', { min: 1, max: DEPTH_MAX, integer: true }, fault),
    tf: wordOption(options, 'tf', TIMEFRAMES, fault),
    step: wordOption(options, 'step', STEPS, fault),
    window_seconds: numberOption(options, 'seconds', SECONDS, fault),
    ...spanOption(options, fault),
    as_of: utcOption(options, 'asOf', fault),
  });
}

function placeOf({ of, operation }: Read, named: string | undefined, fault: Fault): Row {
  const name = JSON.stringify(named ?? '');
  if (of === undefined) {
    if (named !== undefined) fault(`takes no symbol or event: ${name}`);
    return {};
  }
  if (of === 'event' || (of === 'symbol or event' && named?.startsWith('evt_') === true)) {
    if (named === undefined || !EVENT_ID.test(named)) fault(`pass an event id (evt_…), not ${name}; history and search list them`);
    return { event_id: named ?? '' };
  }
  if (named !== undefined && !(of === 'symbols' && named === 'ALL')) checkSymbol(named, fault);
  if (named !== undefined) return { symbol: named };
  return of === 'symbols' && operation !== 'searchEvents' ? { symbol: 'ALL' } : {};
}

function readPath(path: string, more: readonly string[], options: Options, fault: Fault): ReadSettings {
  for (const name of Object.keys(READ_OPTIONS) as ReadOption[])
    if (options[name] !== undefined)
      fault(`${DESCRIPTIONS[name][0].split(' ')[0]} cannot be used with a path; put its parameters into the path`);
  const settings = readPathSettings([path, ...more], options, fault);
  const { answers, rows } = describeOperation(settings.operation);
  if (answers === 'stream') fault(`${path.split('?')[0] ?? ''} is a stream: use tail or replay`);
  if (answers === 'file') fault(`${path.split('?')[0] ?? ''} is a file: use verify --event or export download`);
  return { ...settings, read: readOfOperation(settings.operation, rows) };
}

export interface PathSettings extends ClientSettings {
  readonly operation: OperationId;
  readonly params: Row;
}

export function readPathSettings([path = '', ...more]: readonly string[], options: Options, fault: Fault): PathSettings {
  if (more.length > 0) fault(`a path contains its own parameters; remove ${more.join(', ')}`);
  const found = path.startsWith('/') ? operationOf(path) : null;
  if (found === null) fault(`the service has no GET ${path.split('?')[0] ?? ''}; see /openapi.json for its paths`);
  return { ...readClientSettings(options, fault), operation: found?.id ?? 'getLatest', params: found?.params ?? {} };
}

/** Undefined for badly escaped paths, too. */
function operationOf(path: string): ReturnType<typeof operationAt> {
  try {
    return operationAt('GET', path);
  } catch {
    return null;
  }
}
