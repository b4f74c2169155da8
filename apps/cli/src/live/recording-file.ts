import { closeSync, openSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** What waits is written when it is this long, characters. */
const PIECE_LENGTH = 1_048_576;

/**
 * A recording that grows: gzip text, a message a line. What was written is a row of whole gzip pieces one behind the other, so that the
 * file can be read at any time, also when the program was killed: it then ends at the last `flush`.
 */
export class RecordingFile {
  private readonly descriptor: number;
  private text = '';
  lines = 0;
  bytes = 0;
  firstMs: number | undefined;
  lastMs = 0;

  /** @throws the system's error when the file is there already or can't be made */
  constructor(readonly path: string) {
    this.descriptor = openSync(path, 'wx');
  }

  write(receivedMs: number, line: string): void {
    this.text += `${line}\n`;
    this.lines++;
    this.firstMs ??= receivedMs;
    this.lastMs = receivedMs;
    if (this.text.length >= PIECE_LENGTH) this.flush();
  }

  /** Writes what waits. */
  flush(): void {
    if (this.text === '') return;
    const piece = gzipSync(this.text);
    this.text = '';
    for (let written = 0; written < piece.length; ) written += writeSync(this.descriptor, piece, written);
    this.bytes += piece.length;
  }

  close(): void {
    this.flush();
    closeSync(this.descriptor);
  }
}
