import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

/** Where the lines of a command go. */
export interface LineOutput {
  /** Takes lines; false when nobody reads any more (`| head`), and then the command should end. */
  write(...lines: readonly string[]): Promise<boolean>;
}

/** Characters gathered before they are written. */
const TEXT_LENGTH = 64 * 1_024;

/**
 * Gives `work` an output: the file, which appears only when `work` is done, whole; or without one, stdout.
 * @throws CliError (bad input) when the file cannot be written
 */
export async function withOutput<T>(io: CliIo, file: string | undefined, work: (output: LineOutput) => Promise<T>): Promise<T> {
  if (file === undefined) return withStream(io.stdout, work);
  const path = resolve(io.cwd, file);
  const partial = `${path}.${process.pid}.partial`;
  const stream = createWriteStream(partial);
  try {
    const result = await withStream(stream, work);
    stream.end();
    await finished(stream);
    if (io.signal.aborted) throw io.signal.reason;
    await rename(partial, path);
    return result;
  } catch (error) {
    stream.destroy();
    await rm(partial, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw code !== undefined && syscall !== undefined ? badInput(`${file}: it cannot be written (${code})`) : error;
  }
}

async function withStream<T>(stream: Writable, work: (output: LineOutput) => Promise<T>): Promise<T> {
  let text = '';
  let failure: NodeJS.ErrnoException | undefined;
  let wake: () => void = () => undefined;
  const onError = (error: NodeJS.ErrnoException): void => {
    failure = error;
    wake();
  };
  const onDrain = (): void => wake();

  async function flush(): Promise<boolean> {
    const full = text !== '' && failure === undefined && !stream.write(text);
    text = '';
    if (full) await new Promise<void>((done) => (wake = done));
    if (failure !== undefined && failure.code !== 'EPIPE') throw failure;
    return failure === undefined;
  }

  // stdout stays open after the last write, and may tell of a reader that is gone only then.
  stream.on('error', onError).on('drain', onDrain);
  const result = await work({
    async write(...lines) {
      for (const line of lines) text += `${line}\n`;
      return text.length < TEXT_LENGTH ? failure === undefined : flush();
    },
  });
  await flush();
  stream.off('drain', onDrain);
  return result;
}
