import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  openRecording,
  RecordingError,
  SeveralSymbolsError,
  UnknownSymbolError,
  type OpenRecording,
  type RecordingTally,
  type RejectionCounts,
  type MarketEvent,
  type DescribedInstrument,
  InstrumentDescriptionError,
  readInstrumentDescription,
} from '@market-state/market-data';
import type { ColumnNames } from '@market-state/recorded-files';
import type { Fault } from '../arguments/cli-command';
import { type Options, symbolOption, textOption } from '../arguments/values';
import { badInput, type CliError } from '../cli-error';
import type { CliIo } from './cli-io';
import { lineFile } from './file-lines';
import { count, counted, instant } from './instant';

/** Option of every command that reads recordings. */
export const INSTRUMENT_OPTION = [
  '--instrument <description>',
  'instrument of CSV files, or one missing from the instrument table: symbol=SOLUSD-PERP,venue=kraken,… or a JSON file',
] as const;

/** Option of commands that read Parquet files with columns of other names. */
export const COLUMNS_OPTION = [
  '--columns <names>',
  'columns of Parquet files by their name here: exchange_time_ms=ts,price=px,… (default: the columns as they are named)',
] as const;

/** @throws CliError (bad input) with every fault */
export function columnNames(text: string | undefined): ColumnNames | undefined {
  if (text === undefined) return undefined;
  const pairs = text.split(',').map((pair) => pair.split('='));
  const broken = pairs.filter(([name, column, ...rest]) => !name || !column || rest.length > 0);
  if (broken.length > 0) throw badInput(...broken.map((pair) => `--columns: ${JSON.stringify(pair.join('='))} is not name=column`));
  return pairs.map(([name = '', column = '']) => [name, column] as const);
}

/** @throws CliError (bad input) with every fault */
async function describedInstrument(text: string | undefined, cwd: string): Promise<DescribedInstrument | undefined> {
  return text === undefined ? undefined : (await readDescription(text, cwd)).instrument;
}

/** Also returns the text that was parsed. */
export async function readDescription(
  text: string,
  cwd: string,
): Promise<{ readonly text: string; readonly instrument: DescribedInstrument }> {
  const isFile = !text.includes('=') && !text.trimStart().startsWith('{');
  const said = isFile ? await fileText(text, cwd) : text;
  try {
    if (isFile && !said.trimStart().startsWith('{')) throw new InstrumentDescriptionError(['not a JSON object']);
    return { text: said, instrument: readInstrumentDescription(said) };
  } catch (error) {
    if (error instanceof InstrumentDescriptionError)
      throw badInput(...error.faults.map((fault) => `--instrument${isFile ? ` ${text}` : ''}: ${fault}`));
    throw error;
  }
}

async function fileText(name: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, name), 'utf8');
  } catch {
    throw badInput(`--instrument: ${name} is neither a description such as symbol=SOLUSD-PERP,venue=kraken nor a readable file`);
  }
}

const WINDOW_MS = 10_000;
/** Earlier receive times mean that the recording's timestamps are not milliseconds. */
const YEAR_2001_MS = 978_307_200_000;
const NOUNS = { book: 'book', trade: 'trade', context: 'context entry', liquidation: 'liquidation' } as const;
const PLURALS: Readonly<Record<keyof typeof NOUNS, string>> = {
  book: 'books',
  trade: 'trades',
  context: 'context entries',
  liquidation: 'liquidations',
};

/** Explains why nothing was labelled. */
class LogSummary {
  private readonly totals = { book: 0, trade: 0, context: 0, liquidation: 0, tick: 0, feed_status: 0 };
  private firstMs: number | undefined;
  private lastMs = 0;
  private closingLagMs: number | undefined;
  private firstTickMs: number | undefined;

  add(events: readonly MarketEvent[]): void {
    for (const event of events) {
      this.totals[event.kind]++;
      this.firstMs ??= event.receivedTsMs;
      if (event.receivedTsMs > this.lastMs) this.lastMs = event.receivedTsMs;
      if (event.kind === 'feed_status' && event.status.type === 'connected') this.closingLagMs = event.status.closingLagMs;
      else if (event.kind === 'tick' && this.closingLagMs !== undefined) this.firstTickMs ??= event.feedClockMs;
    }
  }

  /** `input` names the files. */
  nothingLabelled(input: string, lines: number): CliError {
    const { firstMs, lastMs, totals } = this;
    const kinds = (Object.keys(NOUNS) as (keyof typeof NOUNS)[]).filter((kind) => totals[kind] > 0);
    const held = kinds.map((kind) => counted(totals[kind], NOUNS[kind], PLURALS[kind])).join(', ');
    const span =
      firstMs === undefined
        ? ''
        : `, received from ${instant(firstMs)} to ${instant(lastMs)} (${((lastMs - firstMs) / 1_000).toFixed(1)} s)`;
    return badInput(
      `${input}: nothing was labelled: ${counted(lines, 'line')} gave ${held === '' ? 'no book and no trade' : held}${span}; ${this.reason}`,
    );
  }

  private get reason(): string {
    const { closingLagMs, firstTickMs, firstMs = 0, lastMs } = this;
    if (firstMs < YEAR_2001_MS) return 'times must be milliseconds since 1970, such as 1723161256172: multiply seconds by 1,000';
    if (closingLagMs === undefined)
      return (
        'no connected entry with the venue’s channels and the closing lag: provide the rows from the beginning of their ' +
        'log, as written by `market-state rows` or `dump`'
      );
    if (firstTickMs === undefined) return 'windows close at ticks, and no tick follows the connected entry: provide the log with its ticks';
    const windowEndMs = Math.ceil(firstTickMs / WINDOW_MS) * WINDOW_MS;
    return (
      `the first window ends at ${instant(windowEndMs)} and closes ${count(closingLagMs)} ms later, ` +
      `${((windowEndMs + closingLagMs - lastMs) / 1_000).toFixed(1)} s after the last line: record at least ${(2 * WINDOW_MS + closingLagMs) / 1_000} s`
    );
  }
}

/** `no_snapshot` has a sentence of its own. */
const MEANINGS: Readonly<Record<Exclude<keyof RejectionCounts, 'no_snapshot'>, string>> = {
  broken_line: 'no receive time before the message',
  broken_json: 'incomplete JSON',
  unknown_message: 'unsupported kind, or a required field is missing',
  unknown_symbol: 'other instruments',
  bad_price: 'price is not a positive decimal',
  bad_size: 'size is not a positive decimal',
  future_time: 'over 5 s ahead of the receive clock, or received a day after everything before',
  old_time: 'over 24 h behind the receive clock',
  oversized_frame: 'over 1 MiB',
  crossed_book: 'best bid above best ask',
  one_sided_book: 'a book without bids or without asks',
  stale_snapshot: 'older than the buffered depth updates',
  beyond_snapshot: 'the market left the price range of the depth snapshot: no book until the next snapshot',
  duplicate: 'received before',
  no_trade: 'trade ids without a trade',
};

/** Notes for the user about a recording that was read. */
function notesOf({ lines, rejections: { no_snapshot: waitingTotal, ...rejections }, notes: found }: RecordingTally): readonly string[] {
  const notes: string[] = [...found.list()];
  const reasons = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((reason) => rejections[reason] > 0);
  if (reasons.length > 0)
    notes.push(
      `some input of ${count(lines)} lines was not used: ` +
        reasons.map((reason) => `${reason} ${count(rejections[reason])} (${MEANINGS[reason]})`).join(', '),
    );
  if (rejections.future_time + rejections.old_time > lines / 2)
    notes.push(
      'most of it was rejected because of its timestamps: receive times must be UTC, and message times milliseconds close to them',
    );
  if (waitingTotal > 0)
    notes.push(
      `no snapshot received: ${counted(waitingTotal, 'depth update')} could not be used, so there is no book from the first of them on`,
    );
  return notes;
}

export interface OpenFiles extends OpenRecording {
  /** Error to throw once the recording was read to its end without a result; explains what was read and why. */
  nothingLabelled(): CliError;
}

export interface Chosen {
  readonly symbol?: string;
  readonly instrument?: string;
  readonly columns?: string;
}

/** `--symbol`, `--instrument` and `--columns`. */
export function readChosen(options: Options, fault: Fault): Chosen {
  return {
    symbol: symbolOption(options, fault),
    instrument: textOption(options, 'instrument'),
    columns: textOption(options, 'columns'),
  };
}

/**
 * Rejected input is reported on stderr at the end of the log.
 * @throws CliError (bad input) if the format or symbol is unknown, or a symbol must be chosen
 */
export async function openFiles(
  names: readonly string[],
  { symbol, instrument: description, columns: named }: Chosen,
  io: CliIo,
): Promise<OpenFiles> {
  const instrument = await describedInstrument(description, io.cwd);
  const columns = columnNames(named);
  const recording = await asBadInput(
    openRecording(
      names.map((name) => lineFile(name, io, columns)),
      { symbol, instrument },
    ),
  );
  const summary = new LogSummary();
  return {
    ...recording,
    events: guarded(recording, summary, io),
    nothingLabelled: () => summary.nothingLabelled(names.join(', '), recording.tally.lines),
  };
}

/**
 * Symbols in recording or row files, judging by their first lines.
 * @throws CliError (bad input) as `openFiles`
 */
export async function symbolsOf(
  names: readonly string[],
  { instrument: description }: Pick<Chosen, 'instrument'>,
  io: CliIo,
): Promise<readonly string[]> {
  const instrument = await describedInstrument(description, io.cwd);
  try {
    const recording = await openRecording(
      names.map((name) => lineFile(name, io)),
      { instrument },
    );
    await recording.events.return(undefined);
    return [recording.symbol];
  } catch (error) {
    return error instanceof SeveralSymbolsError ? error.symbols : asBadInput(Promise.reject(error as Error));
  }
}

async function asBadInput<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SeveralSymbolsError)
      throw badInput(`the recording has several symbols; choose one with --symbol: ${error.symbols.join(', ')}`);
    throw error instanceof RecordingError || error instanceof UnknownSymbolError ? badInput(error.message) : error;
  }
}

async function* guarded({ events, symbol, tally }: OpenRecording, summary: LogSummary, { signal, stderr }: CliIo): OpenRecording['events'] {
  try {
    for (;;) {
      const next = await asBadInput(events.next());
      if (next.done === true) break;
      summary.add(next.value);
      yield next.value;
      signal.throwIfAborted();
    }
  } finally {
    await events.return(undefined);
  }
  for (const note of notesOf(tally)) stderr.write(`${symbol}: ${note}\n`);
}
