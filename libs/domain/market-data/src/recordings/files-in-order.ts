import { isBelievable, type Received } from './play-messages';
import { RecordingError } from './recording-errors';

type Batch<Message> = readonly (Received<Message> | undefined)[];

/** A file of messages that were received one after the other. */
export interface MessageFile<Message> {
  readonly name: string;
  /** The message of its first line. */
  readonly first: Received<Message> | undefined;
  messages(): AsyncIterable<Batch<Message>>;
}

/**
 * The messages of files that follow each other in the order given.
 * @throws RecordingError when a file begins before the first line, or the last, of the file before it was received
 */
export async function* filesInOrder<Message>(files: readonly MessageFile<Message>[]): AsyncGenerator<Batch<Message>> {
  for (const [index, file] of files.entries()) checkBegins(file, files[index - 1], files[index - 1]?.first?.receivedMs);
  let before: MessageFile<Message> | undefined;
  let endMs: number | undefined;
  for (const file of files) {
    checkBegins(file, before, endMs);
    before = file;
    endMs = file.first?.receivedMs;
    for await (const batch of file.messages()) {
      const knownMs = endMs;
      endMs = batch.findLast((received) => received !== undefined && isBelievable(received.receivedMs, knownMs))?.receivedMs ?? endMs;
      yield batch;
    }
  }
}

function checkBegins<Message>(
  { name, first }: MessageFile<Message>,
  before: MessageFile<Message> | undefined,
  beforeMs: number | undefined,
): void {
  if (before === undefined || first === undefined || beforeMs === undefined || first.receivedMs >= beforeMs) return;
  throw new RecordingError(`${name} begins before ${before.name} ends: give the files in the order of their times`);
}
