import { resolve } from 'node:path';
import { recordingLineBatches } from '@market-state/market-data';
import type { CliIo } from './cli-io';
import { fileChunks } from './file-chunks';

/** A file by the name the user gave it. */
export interface LineFile {
  readonly name: string;
  /** Its lines in batches, without line ends; each iteration reads the file anew. */
  readonly lines: AsyncIterable<readonly string[]>;
}

/** The lines of a file that is text or gzip, whatever its name. */
export function lineFile(name: string, { cwd, signal }: Pick<CliIo, 'cwd' | 'signal'>): LineFile {
  return {
    name,
    lines: { [Symbol.asyncIterator]: () => recordingLineBatches(fileChunks(resolve(cwd, name), name, signal)) },
  };
}
