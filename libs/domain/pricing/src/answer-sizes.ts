import measured from '../data/answer-sizes.json';

/** What an answer takes: so many bytes, and so many more for each row. */
interface AnswerSize {
  readonly answer_bytes: number;
  /** Null for an answer that is one thing, and where no row was there to be measured. */
  readonly row_bytes: number | null;
}

const answers: Readonly<Record<string, AnswerSize>> = measured.answers;
const rowBytes: Readonly<Record<string, number>> = measured.channel_row_bytes;

/** What the bytes of a quote come from, in words. */
export const SIZE_SOURCE: string = measured.source;

/**
 * About how many bytes an answer has before compression, as measured by `npm run bench -- sizes`; null where that was not measured.
 * @param operationId of the OpenAPI document
 * @param view that the call asks for; absent where its operation has none
 * @param rows 1 for an answer that is one thing
 */
export function answerBytes(operationId: string, view: string | undefined, rows: number): number | null {
  const size = answers[view === undefined ? operationId : `${operationId} ${view}`];
  if (size === undefined) return null;
  if (size.row_bytes === null) return rows <= 1 ? size.answer_bytes : null;
  return size.answer_bytes + Math.ceil(rows * size.row_bytes);
}

/** The same of so many rows of each channel, as replays give them; null where rows of a channel were not measured. */
export function replayedBytes(rowsByChannel: ReadonlyMap<string, number>): number | null {
  let bytes = 0;
  for (const [channel, rows] of rowsByChannel) {
    const each = rowBytes[channel];
    if (each === undefined && rows > 0) return null;
    bytes += Math.ceil(rows * (each ?? 0));
  }
  return bytes;
}

/** What so many rows take in a stream beside their own bytes. */
export function messageBytes(rows: number): number {
  return rows * measured.message_bytes;
}
