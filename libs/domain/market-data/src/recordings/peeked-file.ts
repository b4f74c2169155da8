/** `name` appears in errors and can carry information missing from the content. */
export interface RecordingFile {
  readonly name: string;
  /** Lines without line ends, in batches, as from `recordingLineBatches`. Iterated once unless repeatable. */
  readonly lines: AsyncIterable<readonly string[]>;
  /** `lines` can be iterated again, so no lines are retained between opening and reading. Default: false. */
  readonly isRepeatable?: boolean;
}

const HEAD_LINES = 4_096;
const HELD_LINES_MAX = 65_536;
const HELD_CHARACTERS_MAX = 67_108_864;

type Lines = readonly string[];

export interface UnreadFile {
  readonly name: string;
  batches(): AsyncGenerator<Lines>;
  close(): Promise<void>;
}

export interface PeekedFile {
  readonly name: string;
  /** First non-empty lines: at least 4,096, or all among 65,536 lines or 64 Mi characters. */
  readonly head: Lines;
  readonly headNumbers: readonly number[];
  /** Later readers must retain only this: heads are megabytes, and there can be many files. */
  readonly unread: UnreadFile;
}

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
