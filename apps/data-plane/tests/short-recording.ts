import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { encodeEvent, instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';
import { bundledRecordings } from '../src/config';

/** Start of a bundled recording, split into two files. */
export interface ShortRecording {
  readonly symbol: string;
  readonly lines: readonly string[];
  readonly files: readonly string[];
  remove(): void;
}

export function shortRecording(symbol: string, lineTotal: number): ShortRecording {
  return writeRecording(symbol, allLines(symbol).slice(0, lineTotal));
}

/** First lines of a recording, and its last trade minutes later with the next id: long, fast to play, without a gap. */
export function hollowRecording(symbol: string, lineTotal: number): ShortRecording {
  const lines = allLines(symbol);
  const first = lines.slice(0, lineTotal);
  const [before, last] = [first, lines].map((some) => some.findLast((line) => line.includes('@trade"')) ?? '');
  const number = Number(TRADE_NUMBER.exec(before ?? '')?.[1]) + 1;
  return writeRecording(symbol, [...first, (last ?? '').replace(TRADE_NUMBER, `"t":${number}`)]);
}

const TRADE_NUMBER = /"t":(\d+)/;

function allLines(symbol: string): string[] {
  const [file = ''] = bundledRecordings()[symbol] ?? [];
  return [...recordingLines(gunzipSync(readFileSync(file)))];
}

function writeRecording(symbol: string, lines: readonly string[]): ShortRecording {
  const folder = mkdtempSync(join(tmpdir(), 'feed-test-'));
  const half = Math.floor(lines.length / 2);
  const files = [lines.slice(0, half), lines.slice(half)].map((part, at) => {
    const path = join(folder, `${at}.gz`);
    writeFileSync(path, gzipSync(`${part.join('\n')}\n`));
    return path;
  });
  return { symbol, lines, files, remove: () => rmSync(folder, { recursive: true }) };
}

/** Log of unbroken passes from the pure generator: `<id> <hex>`. */
export function expectedLog({ symbol, lines }: ShortRecording, firstShiftMs: number, passes: number): string[] {
  const entries: string[] = [];
  for (const event of recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs })) {
    if (event.pass > passes) break;
    entries.push(`1-${event.ordinal} ${Buffer.from(encodeEvent(event)).toString('hex')}`);
  }
  return entries;
}
