import { readRecordingLine } from '@market-state/market-data';
import { readLines } from './recording-lines';
import type { Source } from './source';

/**
 * Recordings as a source: a connection yields the messages of one symbol's files, one file after the other, as fast as they
 * are taken, with the receive times of the recording.
 */
export function createRecordingSource(filesOf: (symbol: string) => readonly string[]): Source {
  return {
    async connect() {
      const files: string[] = [];
      return {
        async subscribe(symbol) {
          files.push(...filesOf(symbol));
        },
        async *messages() {
          for (const file of files) {
            for await (const lines of readLines(file)) yield lines.map(readRecordingLine);
          }
        },
        close: () => Promise.resolve(),
      };
    },
  };
}
