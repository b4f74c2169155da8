import { openRecording, RecordingError, SeveralSymbolsError, UnknownSymbolError, type OpenRecording } from '@market-state/market-data';
import { badInput, type CliError } from '../cli-error';
import type { CliIo } from './cli-io';
import { describedInstrument } from './described-instrument';
import { lineFile } from './file-lines';
import { LogSummary } from './log-summary';
import { notesOf } from './recording-notes';

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
