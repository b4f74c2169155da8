import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a process writes, in a file that is moved to `<file>.1` (replacing it) when it has grown to `sizeBytesMax`. */
export interface ProcessLog {
  write(chunk: Uint8Array): void;
  close(): void;
}

const defaultSizeBytesMax = 10 * 1024 * 1024;

/** Opens a log to be appended to, making its folder where needed; the file is readable by its owner alone. */
export function openProcessLog(file: string, sizeBytesMax = defaultSizeBytesMax): ProcessLog {
  mkdirSync(dirname(file), { recursive: true });
  let descriptor = openSync(file, 'a', 0o600);
  let sizeBytes = fstatSync(descriptor).size;
  return {
    write(chunk) {
      if (descriptor < 0) return;
      if (sizeBytes > 0 && sizeBytes + chunk.length > sizeBytesMax) {
        closeSync(descriptor);
        if (existsSync(file)) renameSync(file, `${file}.1`);
        descriptor = openSync(file, 'a', 0o600);
        sizeBytes = 0;
      }
      sizeBytes += writeSync(descriptor, chunk);
    },
    close() {
      if (descriptor >= 0) closeSync(descriptor);
      descriptor = -1;
    },
  };
}
