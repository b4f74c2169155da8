import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Log file of a process, rotated to `<file>.1` at `sizeBytesMax`. */
export interface ProcessLog {
  write(chunk: Uint8Array): void;
  close(): void;
}

const defaultSizeBytesMax = 10 * 1024 * 1024;

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
