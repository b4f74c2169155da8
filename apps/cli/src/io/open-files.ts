import { openRecording, RecordingError, UnknownSymbolError, type OpenRecording } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';
import { lineFile } from './file-lines';
import { notesOf } from './recording-notes';

/**
 * The log that recording or row files hold, in the order in which the files are given. Input that was not taken is told on stderr once the
 * log was read to its end.
 * @throws CliError (bad input) when the format or the symbol is not known, or a symbol must be chosen
 */
export async function openFiles(names: readonly string[], symbol: string | undefined, io: CliIo): Promise<OpenRecording> {
  const recording = await asBadInput(
    openRecording(
      names.map((name) => lineFile(name, io)),
      { symbol },
    ),
  );
  return { ...recording, events: guarded(recording, io) };
}

/** What a reader of recordings says of its input is for the user. */
async function asBadInput<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof RecordingError || error instanceof UnknownSymbolError ? badInput(error.message) : error;
  }
}

async function* guarded({ events, symbol, tally }: OpenRecording, { signal, stderr }: CliIo): OpenRecording['events'] {
  try {
    for (;;) {
      const next = await asBadInput(events.next());
      if (next.done === true) break;
      yield next.value;
      signal.throwIfAborted();
    }
  } finally {
    await events.return(undefined);
  }
  for (const note of notesOf(tally)) stderr.write(`${symbol}: ${note}\n`);
}
