import type { RecordingFile } from './recording-file';

/** Lines at the start of a file that tell its format, its instruments and its channels. */
const HEAD_LINES = 4_096;
/** What is held of a file for its head: input of blank or of huge lines is looked at no further. */
const HELD_LINES_MAX = 65_536;
const HELD_CHARACTERS_MAX = 67_108_864;

/** A file whose first lines have been looked at, and that can still be read from its start, once. */
export interface PeekedFile {
  readonly name: string;
  /** The first lines that are not empty: at least 4,096, or all there are among 65,536 lines or 64 Mi characters. */
  readonly head: readonly string[];
  /** Number of each of them in the file, from 1. */
  readonly headNumbers: readonly number[];
  /** All lines, from the first on. */
  batches(): AsyncGenerator<readonly string[]>;
  /** Lets go of a file that is not read to its end. */
  close(): Promise<void>;
}

/** Reads as much of a file as its head needs. */
export async function peekFile({ name, lines }: RecordingFile): Promise<PeekedFile> {
  const iterator = lines[Symbol.asyncIterator]();
  const held: (readonly string[])[] = [];
  const head: string[] = [];
  const headNumbers: number[] = [];
  let isDone = false;
  let lineTotal = 0;
  let characterTotal = 0;
  while (head.length < HEAD_LINES && lineTotal < HELD_LINES_MAX && characterTotal < HELD_CHARACTERS_MAX) {
    const next = await iterator.next();
    if (next.done === true) {
      isDone = true;
      break;
    }
    held.push(next.value);
    for (const line of next.value) {
      lineTotal++;
      characterTotal += line.length;
      if (line === '') continue;
      head.push(line);
      headNumbers.push(lineTotal);
    }
  }

  async function* batches(): AsyncGenerator<readonly string[]> {
    try {
      for (let batch = held.shift(); batch !== undefined; batch = held.shift()) yield batch;
      while (!isDone) {
        const next = await iterator.next();
        if (next.done === true) isDone = true;
        else yield next.value;
      }
    } finally {
      await close();
    }
  }

  async function close(): Promise<void> {
    isDone = true;
    held.length = 0;
    await iterator.return?.();
  }

  return { name, head, headNumbers, batches, close };
}
