import { TextDecoding } from '#bytes';
import { RecordingError } from './recording-notes';

const CSV = 'CSV files can be labelled; see docs/how-to/recording.md';
const UTF_16 = 'file is UTF-16 text, as written by > in PowerShell: convert it to UTF-8 with iconv -f UTF-16';

function packed(name: string, unpack: string): string {
  return `file is compressed with ${name}; only text, gzip, zstd, lz4 and zip are read, and one in the other is not: unpack it with ${unpack}`;
}

/** In hex; a point matches any digit. */
const KINDS: readonly (readonly [beginning: RegExp, sentence: string])[] = [
  [/^1f8b/, 'file is gzip inside gzip: unpack it once with gunzip'],
  [/^28b52ffd/, `${packed('zstd', 'zstd -d')}; if it is Databento DBN, convert it to CSV with dbn --csv`],
  [/^504b0[35]0[46]/, packed('zip', 'unzip; if it is an Excel workbook, save it as CSV')],
  [/^04224d18/, packed('lz4', 'lz4 -d')],
  [/^fd377a585a00/, packed('xz', 'xz -d')],
  [/^425a683.(?:314159265359|177245385090)/, packed('bzip2', 'bzip2 -d')],
  [/^377abcaf271c/, packed('7-Zip', '7z x')],
  [/^526172211a07/, packed('RAR', 'unrar x')],
  [/^.{514}7573746172/, packed('tar', 'tar -x')],
  [
    /^50415231/,
    `file is Parquet: ${CSV}; for trades exported from this service, duckdb -c "COPY (SELECT exchange_ts_ms AS exchange_time_ms, price, size, ` +
      `aggressor_side FROM 'in.parquet') TO 'trades.csv'" writes one`,
  ],
  [/^44424e0[0-9]/, `file is Databento DBN: ${CSV}; dbn in.dbn --csv writes one`],
  [/^4152524f5731/, `file is Arrow: ${CSV}; pandas.read_feather(…).to_csv(…) writes one`],
  [/^4f524317|^4f52430[0-9]/, `file is ORC: ${CSV}; pandas.read_orc(…).to_csv(…) writes one`],
  [/^4f626a01/, `file is Avro: ${CSV}; avro-tools tojson reads it`],
  [/^894844460d0a1a0a/, `file is HDF5: ${CSV}; pandas.read_hdf(…).to_csv(…) writes one`],
  [/^934e554d5059/, `file is a NumPy array: ${CSV}; numpy.savetxt(…, delimiter=',') writes one`],
  [/^53514c69746520666f726d6174203300/, `file is an SQLite database: ${CSV}; sqlite3 -csv -header writes one`],
  [/^(?:fffe0000|0000feff)/, 'file is UTF-32 text: convert it to UTF-8 with iconv -f UTF-32'],
  [/^(?:fffe|feff)/, UTF_16],
  // ASCII without a byte order mark.
  [/^(?:[2-7].00){4}/, `${UTF_16}LE`],
  [/^(?:00[2-7].){4}/, `${UTF_16}BE`],
];

const BINARY_KIND_BYTES = 262;

function binaryKind(bytes: readonly number[]): string | undefined {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return KINDS.find(([beginning]) => beginning.test(hex))?.[1];
}

const LINE_CHARACTERS_MAX = 16_777_216;

/**
 * Without line ends, leading spaces or byte order mark; empty lines are preserved for counting. Buffers at most one
 * chunk and one line.
 * @throws RecordingError if a line exceeds 16 Mi characters, or the file is binary
 */
export async function* recordingLineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoding();
  let rest = '';
  let isStarted = false;
  for await (const chunk of checkedChunks(chunks)) {
    const lines = decoder.write(chunk).split('\n');
    lines[0] = rest + (lines[0] ?? '');
    if (!isStarted && lines[0] !== '') {
      isStarted = true;
      lines[0] = withoutMark(lines[0]);
    }
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS_MAX) throw new RecordingError(`a line exceeds ${LINE_CHARACTERS_MAX} characters`);
    if (lines.length > 0) yield lines.map(withoutMargins);
  }
  rest += decoder.end();
  if (rest !== '') yield [withoutMargins(rest)];
}

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

function withoutMark(line: string): string {
  return line.startsWith('\uFEFF') ? line.slice(1) : line;
}

function withoutMargins(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.startsWith(' ') || text.startsWith('\t') ? text.trimStart() : text;
}
