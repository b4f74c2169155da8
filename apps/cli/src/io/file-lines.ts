import { resolve } from 'node:path';
import { RecordingError, recordingLineBatches } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';
import { fileChunks } from './file-chunks';

/** A file by the name the user gave it. */
export interface LineFile {
  readonly name: string;
  /**
   * Its lines in batches, without line ends; each iteration reads the file anew. Throws CliError (bad input) naming the file where it is no
   * text of lines.
   */
  readonly lines: AsyncIterable<readonly string[]>;
}

/** The lines of a file that is text or gzip, whatever its name. */
export function lineFile(name: string, { cwd, signal }: Pick<CliIo, 'cwd' | 'signal'>): LineFile {
  return {
    name,
    lines: { [Symbol.asyncIterator]: () => linesOf(resolve(cwd, name), name, signal) },
  };
}

async function* linesOf(path: string, name: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  try {
    yield* recordingLineBatches(fileChunks(path, name, signal));
  } catch (error) {
    throw error instanceof RecordingError ? badInput(`${name}: ${error.message}`) : error;
  }
}
