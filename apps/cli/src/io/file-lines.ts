import { resolve } from 'node:path';
import type { LineFile } from '@market-state/labeler';
import { RecordingError, recordingLineBatches } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';
import { fileChunks } from './file-chunks';

/** The lines of a file that is text or gzip, whatever its name. @throws CliError (bad input), as it is read, where it is none of lines */
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
