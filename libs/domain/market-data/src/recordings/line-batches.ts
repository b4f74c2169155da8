import { TextDecoding } from '#bytes';
import { BINARY_KIND_BYTES, binaryKind } from './binary-files';
import { RecordingError } from './recording-errors';

/** A line longer than this is no message of any venue: the input is not a recording. */
const LINE_CHARACTERS_MAX = 16_777_216;

/**
 * The lines of unpacked bytes (UTF-8), without line ends and without spaces before them, as many at a time as one chunk completes. Empty
 * lines stay, so that lines can be counted. A byte order mark before the first is left out. Buffers at most one chunk and one line.
 * @throws RecordingError when a line has more than 16 Mi characters, or the bytes are of a kind of file that is no text
 */
export async function* recordingLineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoding();
  let rest = '';
  let isBegun = false;
  for await (const chunk of checkedChunks(chunks)) {
    const lines = decoder.write(chunk).split('\n');
    lines[0] = rest + (lines[0] ?? '');
    if (!isBegun && lines[0] !== '') {
      isBegun = true;
      lines[0] = withoutMark(lines[0]);
    }
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS_MAX) throw new RecordingError(`a line has more than ${LINE_CHARACTERS_MAX} characters`);
    if (lines.length > 0) yield lines.map(withoutMargins);
  }
  rest += decoder.end();
  if (rest !== '') yield [withoutMargins(rest)];
}

/** The same chunks, once their first bytes are known to be of no kind of binary file. */
async function* checkedChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head: number[] = [];
  let waiting: Uint8Array[] = [];
  let isChecked = false;

  function check(): void {
    const fault = binaryKind(head);
    if (fault !== undefined) throw new RecordingError(fault);
  }

  for await (const chunk of chunks) {
    if (!isChecked) {
      head.push(...chunk.subarray(0, BINARY_KIND_BYTES - head.length));
      waiting.push(chunk);
      if (head.length < BINARY_KIND_BYTES) continue;
      check();
      isChecked = true;
      yield* waiting;
      waiting = [];
    } else yield chunk;
  }
  if (isChecked) return;
  check();
  yield* waiting;
}

/** Some editors and exports begin a file with a byte order mark. */
function withoutMark(line: string): string {
  return line.startsWith('\uFEFF') ? line.slice(1) : line;
}

function withoutMargins(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.startsWith(' ') || text.startsWith('\t') ? text.trimStart() : text;
}
