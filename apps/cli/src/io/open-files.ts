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
import { badInput, type CliError } from '../cli-error';
import type { CliIo } from './cli-io';
import { lineFile } from './file-lines';
import { count, counted, instant } from './instant';

/** `--instrument`, which every command that reads recordings takes. */
export const INSTRUMENT_OPTION = [
  '--instrument <description>',
  'the instrument of CSV files, or one that is not in the instrument table: symbol=SOLUSD-PERP,venue=kraken,… or a JSON file',
] as const;

/**
 * What `--instrument` describes: pairs, or the JSON of a file.
 * @throws CliError (bad input) with every fault
 */
async function describedInstrument(text: string | undefined, cwd: string): Promise<DescribedInstrument | undefined> {
  if (text === undefined) return undefined;
  const isFile = !text.includes('=') && !text.trimStart().startsWith('{');
  const said = isFile ? await fileText(text, cwd) : text;
  try {
    if (isFile && !said.trimStart().startsWith('{')) throw new InstrumentDescriptionError(['is no JSON object']);
    return readInstrumentDescription(said);
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
    throw badInput(`--instrument: ${name} is no description as symbol=SOLUSD-PERP,venue=kraken and no file that can be read`);
  }
}

const WINDOW_MS = 10_000;
/** Times before and after which a recording's clock is of another unit than milliseconds. */
const YEAR_2001_MS = 978_307_200_000;
const NOUNS = { book: 'book', trade: 'trade', context: 'context entry', liquidation: 'liquidation' } as const;
const PLURALS: Readonly<Record<keyof typeof NOUNS, string>> = {
  book: 'books',
  trade: 'trades',
  context: 'context entries',
  liquidation: 'liquidations',
};

/** What a log holds, as far as it was read: enough to say why nothing was labelled. */
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

  /** That no window closed, what was read instead, and what to do. `input` names the files. */
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
    if (firstMs < YEAR_2001_MS) return 'the times are not milliseconds since 1970, as 1723161256172: multiply seconds by 1,000';
    if (closingLagMs === undefined)
      return (
        'no connected entry says which channels the venue reports and how long a window waits: give the rows from the beginning of their ' +
        'log, as `market-state rows` or `dump` writes them'
      );
    if (firstTickMs === undefined)
      return 'no tick comes after the connected entry, and windows close at ticks: give the log with its ticks';
    const windowEndMs = Math.ceil(firstTickMs / WINDOW_MS) * WINDOW_MS;
    return (
      `the first window ends at ${instant(windowEndMs)} and closes ${count(closingLagMs)} ms later, ` +
      `${((windowEndMs + closingLagMs - lastMs) / 1_000).toFixed(1)} s after the last line: record at least ${(2 * WINDOW_MS + closingLagMs) / 1_000} s`
    );
  }
}

/** What a reason is in words; `no_snapshot` has a sentence of its own. */
const MEANINGS: Readonly<Record<Exclude<keyof RejectionCounts, 'no_snapshot'>, string>> = {
  broken_line: 'no receive time before the message',
  broken_json: 'no whole JSON',
  unknown_message: 'of a kind that is not read, or without a field that it needs',
  unknown_symbol: 'of other instruments',
  bad_price: 'a price that is no positive decimal',
  bad_size: 'a size that is no positive decimal',
  future_time: 'over 5 s ahead of the receive clock, or received a day after all before',
  old_time: 'over 24 h behind the receive clock',
  oversized_frame: 'over 1 MiB',
  crossed_book: 'best bid above best ask',
  one_sided_book: 'a book without bids or without asks',
  stale_snapshot: 'older than the depth updates that wait for one',
  beyond_snapshot: 'the market left the prices that the depth snapshot covered: no book from there to the next snapshot',
  duplicate: 'came before',
  no_trade: 'trade ids that came without a trade',
};

/** What a user must be told of a recording that was read, a sentence each. */
function notesOf({ lines, rejections: { no_snapshot: waitingTotal, ...rejections }, notes: found }: RecordingTally): readonly string[] {
  const notes: string[] = [...found.list()];
  const reasons = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((reason) => rejections[reason] > 0);
  if (reasons.length > 0)
    notes.push(
      `of ${count(lines)} lines, not everything was used: ` +
        reasons.map((reason) => `${reason} ${count(rejections[reason])} (${MEANINGS[reason]})`).join(', '),
    );
  if (rejections.future_time + rejections.old_time > lines / 2)
    notes.push(
      'most of it was refused by its times, which must be near the receive times: receive times are UTC, and times in messages milliseconds',
    );
  if (waitingTotal > 0)
    notes.push(
      `no snapshot came: ${counted(waitingTotal, 'depth update')} could not be used, so there is no book from the first of them on`,
    );
  return notes;
}

/** A recording that can be read once. */
export interface OpenFiles extends OpenRecording {
  /** To be thrown where a command made nothing of it, once it was read to its end: says what was read, and why. */
  nothingLabelled(): CliError;
}

/** What is read of the files. */
export interface Chosen {
  /** The symbol, where there are several. */
  readonly symbol?: string;
  /** The instrument as the user describes it. */
  readonly instrument?: string;
}

/**
 * The log that recording or row files hold, in the order in which the files are given. Input that was not taken is told on stderr once the
 * log was read to its end.
 * @throws CliError (bad input) when the format or the symbol is not known, or a symbol must be chosen
 */
export async function openFiles(names: readonly string[], { symbol, instrument: description }: Chosen, io: CliIo): Promise<OpenFiles> {
  const instrument = await describedInstrument(description, io.cwd);
  const recording = await asBadInput(
    openRecording(
      names.map((name) => lineFile(name, io)),
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
 * The symbols that recording or row files hold, so far as their first lines tell.
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

/** What a reader of recordings says of its input is for the user. */
async function asBadInput<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SeveralSymbolsError)
      throw badInput(`the recording holds several symbols, choose one with --symbol: ${error.symbols.join(', ')}`);
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
