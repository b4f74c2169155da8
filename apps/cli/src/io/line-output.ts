import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { canonicalJson } from '@market-state/labeler';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';

/** RFC 8785 line with its schema name and snake case members. */
export function ndjsonLine(schema: string, content: object): string {
  return canonicalJson({ schema, ...(inSnakeCase(content) as object) });
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), inSnakeCase(member)]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface LineOutput {
  /** The reader is a terminal with colour. */
  readonly isStyled: boolean;
  /** Returns false once the reader is gone (`| head`). */
  write(...lines: readonly string[]): Promise<boolean>;
  /** Flushes buffered lines, so that they survive a failure of the command. */
  handOn(): void;
}

const TEXT_LENGTH = 64 * 1_024;

/**
 * A regular file is written to a temporary file and renamed when `work` is done; symbolic links are followed, devices
 * and pipes written directly. A name that ends in `.gz` is compressed. With `isList`, the lines, each JSON, become one
 * JSON array.
 * @throws CliError (bad input) if the file cannot be written
 */
export async function withOutput<T>(
  io: CliIo,
  file: string | undefined,
  work: (output: LineOutput) => Promise<T>,
  isList = false,
): Promise<T> {
  const write = isList ? asList(work) : work;
  if (file === undefined) return withStream(io.stdout, write, isStyled(io));
  const path = await realpath(resolve(io.cwd, file)).catch(() => resolve(io.cwd, file));
  const direct = await isNoFile(path);
  const written = direct ? path : `${path}.${process.pid}.partial`;
  const fileStream = createWriteStream(written);
  const gzip = file.endsWith('.gz') ? createGzip() : undefined;
  const stream: Writable = gzip ?? fileStream;
  const complete = gzip === undefined ? finished(fileStream) : pipeline(gzip, fileStream);
  complete.catch(() => undefined);
  try {
    const result = await withStream(stream, write, false);
    stream.end();
    await complete;
    if (io.signal.aborted) throw io.signal.reason;
    if (!direct) await rename(written, path);
    return result;
  } catch (error) {
    stream.destroy();
    if (!direct) await rm(written, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw code !== undefined && syscall !== undefined ? badInput(`${file}: cannot be written (${code})`) : error;
  }
}

/** Writes lines of JSON as the items of one array. */
function asList<T>(work: (output: LineOutput) => Promise<T>): (output: LineOutput) => Promise<T> {
  return async (output) => {
    let last: string | undefined;
    await output.write('[');
    const result = await work({
      ...output,
      async write(...lines) {
        const items = last === undefined ? lines : [last, ...lines];
        last = items.at(-1);
        return output.write(...items.slice(0, -1).map((line) => `${line},`));
      },
    });
    await (last === undefined ? output.write(']') : output.write(last, ']'));
    return result;
  };
}

/** Runs `work` with unbuffered stdout, for output that arrives over time. */
export function withLiveOutput<T>(io: CliIo, work: (output: LineOutput) => Promise<T>): Promise<T> {
  return withStream(io.stdout, work, isStyled(io), 0);
}

/** Colour only where a terminal shows it: NO_COLOR turns it off. */
function isStyled({ stdout, isPlain }: Pick<CliIo, 'stdout' | 'isPlain'>): boolean {
  return stdout.isTTY === true && isPlain !== true;
}

async function isNoFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile();
}

async function withStream<T>(
  stream: Writable,
  work: (output: LineOutput) => Promise<T>,
  isStyled: boolean,
  gathered = TEXT_LENGTH,
): Promise<T> {
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

  // stdout stays open after the last write and may report a closed reader only then.
  stream.on('error', onError).on('drain', onDrain);
  try {
    const result = await work({
      isStyled,
      async write(...lines) {
        for (const line of lines) text += `${line}\n`;
        return text.length < gathered ? failure === undefined : flush();
      },
      handOn() {
        // Not awaited: a blocked reader must not keep the command from failing.
        if (text !== '' && failure === undefined) stream.write(text);
        text = '';
      },
    });
    await flush();
    return result;
  } finally {
    stream.off('drain', onDrain);
  }
}
