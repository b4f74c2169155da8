import { secondsToMs } from '../text-forms';
import type { PeekedFile } from './peeked-file';
import { RecordingError } from './recording-notes';
import type { Batch, Received } from './play-messages';

const BATCH_MAX = 1_024;

interface Cursor<Message> {
  readonly iterator: AsyncIterator<Batch<Message>>;
  batch: Batch<Message>;
  next: number;
}

/** Ties go to the earlier source. Undefined messages are passed on immediately. */
export async function* mergeByReceiveTime<Message>(sources: readonly AsyncIterable<Batch<Message>>[]): AsyncGenerator<Batch<Message>> {
  const all = sources.map((source): Cursor<Message> => ({ iterator: source[Symbol.asyncIterator](), batch: [], next: 0 }));
  try {
    let open: readonly Cursor<Message>[] = await refill(all);
    while (open.length > 0) {
      const merged: (Received<Message> | undefined)[] = [];
      while (merged.length < BATCH_MAX && open.every(({ batch, next }) => next < batch.length)) {
        const cursor = earliest(open);
        if (cursor === undefined) break;
        merged.push(cursor.batch[cursor.next++]);
      }
      yield merged;
      open = await refill(open);
    }
  } finally {
    for (const { iterator } of all) await iterator.return?.();
  }
}

async function refill<Message>(cursors: readonly Cursor<Message>[]): Promise<readonly Cursor<Message>[]> {
  const open: Cursor<Message>[] = [];
  for (const cursor of cursors) {
    while (cursor.next >= cursor.batch.length) {
      const next = await cursor.iterator.next();
      if (next.done === true) break;
      cursor.batch = next.value;
      cursor.next = 0;
    }
    if (cursor.next < cursor.batch.length) open.push(cursor);
  }
  return open;
}

function earliest<Message>(cursors: readonly Cursor<Message>[]): Cursor<Message> | undefined {
  let first: Cursor<Message> | undefined;
  let firstMs = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) {
    const receivedMs = cursor.batch[cursor.next]?.receivedMs ?? Number.NEGATIVE_INFINITY;
    if (first === undefined || receivedMs < firstMs) {
      first = cursor;
      firstMs = receivedMs;
    }
  }
  return first;
}

const TIME = /^([0-9]{16,20})[ \t]/;
const NANOSECOND_DIGITS = 19;
const MICROSECOND_DIGITS = 16;

/**
 * Receive times must be nanoseconds with 19 digits (2001 to 2286).
 * @throws RecordingError naming the first line with another unit
 */
export function checkNanoseconds(files: readonly PeekedFile[]): void {
  for (const { name, head, headNumbers } of files) {
    const index = head.findIndex((line) => TIME.test(line));
    const digits = TIME.exec(head[index] ?? '')?.[1]?.length ?? NANOSECOND_DIGITS;
    if (digits === NANOSECOND_DIGITS) continue;
    const place = `${name}:${headNumbers[index]}`;
    throw new RecordingError(
      digits === MICROSECOND_DIGITS
        ? `${place}: receive times are microseconds but must be nanoseconds; append three zeros: ` + "sed -E 's/^([0-9]{16}) /\\1000 /'"
        : `${place}: receive time has ${digits} digits; receive times are nanoseconds since 1970 with ${NANOSECOND_DIGITS} digits`,
    );
  }
}

/**
 * Times must be decimal seconds since 1970.
 * @param timeOf time text of a line, if any
 * @throws RecordingError naming the first invalid time
 */
export function checkSeconds({ name, head, headNumbers }: PeekedFile, timeOf: (line: string) => string | undefined): void {
  const index = head.findIndex((line) => timeOf(line) !== undefined);
  const time = timeOf(head[index] ?? '');
  if (time === undefined || secondsToMs(time) !== undefined) return;
  throw new RecordingError(
    `${name}:${headNumbers[index]}: receive time is ${JSON.stringify(time.slice(0, 40))} but must be seconds since 1970, such as 1786310819.726`,
  );
}
