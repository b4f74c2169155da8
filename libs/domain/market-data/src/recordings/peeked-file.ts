/** A file of a recording, unpacked. `name` tells what the content does not, and stands in errors. */
export interface RecordingFile {
  readonly name: string;
  /** The lines, without line ends, some at a time: what `recordingLineBatches` gives. Read once, unless it is repeatable. */
  readonly lines: AsyncIterable<readonly string[]>;
  /**
   * `lines` gives the same again each time it is iterated. Then none of a file's lines are kept from its opening to its reading: they
   * are read a second time. Default: false.
   */
  readonly isRepeatable?: boolean;
}

/** Lines at the start of a file that tell its format, its instruments and its channels. */
const HEAD_LINES = 4_096;
/** What is held of a file for its head: input of blank or of huge lines is looked at no further. */
const HELD_LINES_MAX = 65_536;
const HELD_CHARACTERS_MAX = 67_108_864;

type Lines = readonly string[];

/** A file that can be read from its start, once. */
export interface UnreadFile {
  readonly name: string;
  /** All lines, from the first on. */
  batches(): AsyncGenerator<Lines>;
  /** Lets go of a file that is not read to its end. */
  close(): Promise<void>;
}

/** A file whose first lines have been looked at. */
export interface PeekedFile {
  readonly name: string;
  /** The first lines that are not empty: at least 4,096, or all there are among 65,536 lines or 64 Mi characters. */
  readonly head: Lines;
  /** Number of each of them in the file, from 1. */
  readonly headNumbers: readonly number[];
  /** The file itself. Whoever reads it later keeps this alone: heads are megabytes, and files may be many. */
  readonly unread: UnreadFile;
}

/** Reads as much of a file as its head needs. */
export async function peekFile({ name, lines, isRepeatable = false }: RecordingFile): Promise<PeekedFile> {
  const iterator = lines[Symbol.asyncIterator]();
  const held: Lines[] = [];
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
    if (!isRepeatable) held.push(next.value);
    for (const line of next.value) {
      lineTotal++;
      characterTotal += line.length;
      if (line === '') continue;
      head.push(line);
      headNumbers.push(lineTotal);
    }
  }
  if (!isRepeatable) return { name, head, headNumbers, unread: unreadFile(name, held, isDone ? undefined : iterator) };
  await iterator.return?.();
  return { name, head, headNumbers, unread: unreadFile(name, [], lines[Symbol.asyncIterator]()) };
}

/** @param rest what follows the lines that are held; undefined: nothing */
function unreadFile(name: string, held: Lines[], rest: AsyncIterator<Lines> | undefined): UnreadFile {
  let isClosed = false;

  async function* batches(): AsyncGenerator<Lines> {
    try {
      for (let batch = held.shift(); batch !== undefined; batch = held.shift()) yield batch;
      while (!isClosed && rest !== undefined) {
        const next = await rest.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await close();
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    held.length = 0;
    await rest?.return?.();
  }

  return { name, batches, close };
}
