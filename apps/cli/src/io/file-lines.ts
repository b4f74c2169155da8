import { resolve } from 'node:path';
import type { LineFile } from '@market-state/labeler';
import { RecordingError, recordingLineBatches } from '@market-state/market-data';
import { type ColumnNames, isParquet, parquetLines, recordedBytes, UnreadableFileError } from '@market-state/recorded-files';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

/**
 * Plain, packed or Parquet, detected by content. Reading throws CliError (bad input) that names the file if it is
 * neither.
 * @param columns names for the columns of a Parquet file
 */
export function lineFile(name: string, { cwd, signal }: Pick<CliIo, 'cwd' | 'signal'>, columns?: ColumnNames): LineFile {
  return {
    name,
    lines: { [Symbol.asyncIterator]: () => linesOf(resolve(cwd, name), { name, columns, signal }) },
  };
}

interface Reading {
  readonly name: string;
  readonly columns: ColumnNames | undefined;
  readonly signal: AbortSignal;
}

async function* linesOf(path: string, { name, columns, signal }: Reading): AsyncGenerator<readonly string[]> {
  try {
    if (await isParquet(path)) yield* parquetLines(path, columns, signal);
    else yield* recordingLineBatches(recordedBytes(path, signal));
  } catch (error) {
    throw signal.aborted ? error : toCliError(error as NodeJS.ErrnoException, name);
  }
}

function toCliError(error: NodeJS.ErrnoException, name: string): Error {
  if (error instanceof RecordingError || error instanceof UnreadableFileError) return badInput(`${name}: ${error.message}`);
  const { code = '', syscall } = error;
  if (syscall === undefined) return error;
  const sentence = { ENOENT: 'no such file', EISDIR: 'is a folder', EACCES: 'permission denied' }[code];
  return badInput(`${name}: ${sentence ?? `cannot be read (${code})`}`);
}
