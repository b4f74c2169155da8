import { byteLengthOf } from '#bytes';

/** Bytes that a frame may have. */
const FRAME_BYTES_MAX = 1_048_576;

/** Whether the frame that `text` holds from `start` on is over 1 MiB in UTF-8. */
export function isOversized(text: string, start = 0): boolean {
  const characters = text.length - start;
  return characters * 3 > FRAME_BYTES_MAX && byteLengthOf(text.slice(start)) > FRAME_BYTES_MAX;
}
