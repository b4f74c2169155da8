import { openRecording, type OpenRecording } from '@market-state/market-data';
import { badInput, CliError } from '../cli-error';
import type { CliIo } from './cli-io';
import { lineFile } from './file-lines';

/**
 * The log that recording or row files hold, in the order in which the files are given.
 * @throws CliError (bad input) when the format or the symbol is not known, or a symbol must be chosen
 */
export async function openFiles(names: readonly string[], symbol: string | undefined, io: CliIo): Promise<OpenRecording> {
  const recording = await asBadInput(openRecording(names.map((name) => lineFile(name, io)), { symbol }), io.signal);
  return { ...recording, events: guarded(recording.events, io.signal) };
}

/** Whatever goes wrong while input is read is wrong with the input. */
async function asBadInput<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted || error instanceof CliError || !(error instanceof Error)) throw error;
    throw badInput(error.message);
  }
}

async function* guarded<T>(batches: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  for (;;) {
    const next = await asBadInput(batches.next(), signal);
    if (next.done === true) return;
    yield next.value;
    signal.throwIfAborted();
  }
}
