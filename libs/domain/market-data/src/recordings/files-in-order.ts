import { isBelievable, type Received } from './play-messages';
import { RecordingError } from './recording-errors';

type Batch<Message> = readonly (Received<Message> | undefined)[];

/** A file of messages that were received one after the other. */
export interface MessageFile<Message> {
  readonly name: string;
  /** Receive time of its first line, milliseconds; undefined where that has none. */
  readonly firstReceivedMs: number | undefined;
  messages(): AsyncIterable<Batch<Message>>;
}

/**
 * The messages of files that follow each other in the order given.
 * @throws RecordingError when a file begins before the first line, or the last, of the file before it was received
 */
export async function* filesInOrder<Message>(files: readonly MessageFile<Message>[]): AsyncGenerator<Batch<Message>> {
  for (const [index, file] of files.entries()) checkBegins(file, files[index - 1], files[index - 1]?.firstReceivedMs);
  let before: MessageFile<Message> | undefined;
  let endMs: number | undefined;
  for (const file of files) {
    checkBegins(file, before, endMs);
    before = file;
    endMs = file.firstReceivedMs;
    for await (const batch of file.messages()) {
      const knownMs = endMs;
      endMs = batch.findLast((received) => received !== undefined && isBelievable(received.receivedMs, knownMs))?.receivedMs ?? endMs;
      yield batch;
    }
  }
}

function checkBegins<Message>(
  { name, firstReceivedMs }: MessageFile<Message>,
  before: MessageFile<Message> | undefined,
  beforeMs: number | undefined,
): void {
  if (before === undefined || firstReceivedMs === undefined || beforeMs === undefined || firstReceivedMs >= beforeMs) return;
  throw new RecordingError(`${name} begins before ${before.name} ends: give the files in the order of their times`);
}
