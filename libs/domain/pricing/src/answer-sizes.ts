import measured from '../data/answer-sizes.json';

interface AnswerSize {
  readonly answer_bytes: number;
  /** Null for a single-object response, or if no row was measured. */
  readonly row_bytes: number | null;
}

const answers: Readonly<Record<string, AnswerSize>> = measured.answers;
const rowBytes: Readonly<Record<string, number>> = measured.channel_row_bytes;

/** Source of the size estimates, shown in quotes. */
export const SIZE_SOURCE: string = measured.source;

/**
 * Estimated uncompressed response size in bytes, measured by `npm run bench -- sizes`; null if not measured.
 * @param operationId OpenAPI operation id
 * @param view requested view; undefined if the operation has none
 * @param rows 1 for a single-object response
 */
export function answerBytes(operationId: string, view: string | undefined, rows: number): number | null {
  const size = answers[view === undefined ? operationId : `${operationId} ${view}`];
  if (size === undefined) return null;
  if (size.row_bytes === null) return rows <= 1 ? size.answer_bytes : null;
  return size.answer_bytes + Math.ceil(rows * size.row_bytes);
}

/** Estimated size of replayed rows by channel; null if a channel was not measured. */
export function replayedBytes(rowsByChannel: ReadonlyMap<string, number>): number | null {
  let bytes = 0;
  for (const [channel, rows] of rowsByChannel) {
    const each = rowBytes[channel];
    if (each === undefined && rows > 0) return null;
    bytes += Math.ceil(rows * (each ?? 0));
  }
  return bytes;
}

/** Stream framing overhead in bytes. */
export function messageBytes(rows: number): number {
  return rows * measured.message_bytes;
}
