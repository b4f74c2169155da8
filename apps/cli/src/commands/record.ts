import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ClockOffsets, type PlayedInstrument } from '@market-state/market-data';
import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { createProgress } from '../io/progress';
import { wholeTable } from '../io/table';
import { followVenue, type Players } from '../live/follow-venue';
import { type LiveSettings, openSource, readLiveSettings, withLiveOptions } from '../live/live-settings';
import { type ResultFormat, writeResult } from '../output/settings';

const PIECE_LENGTH = 1_048_576;

/**
 * Each flush writes a complete gzip member: the file is readable at any time and ends at the last flush if the process
 * is killed.
 */
export class RecordingFile {
  private readonly descriptor: number;
  private text = '';
  lines = 0;
  bytes = 0;
  firstMs: number | undefined;
  lastMs = 0;

  /** @throws the system's error if the file exists or cannot be created */
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

const FLUSH_EVERY_MS = 1_000;

interface RecordSettings extends LiveSettings {
  readonly out: string;
}

export function recordCommand(): CliCommand {
  return withLiveOptions(new CliCommand('record'))
    .summary('record a live venue to files that label, report and the service can read')
    .description(
      'Writes what a venue sends, one gzip file per symbol. Each line has the receive time in nanoseconds and the original message.\n' +
        'label, rows, report and diff-policy read these files, and FEED=recording plays them. Stops after ' +
        '--seconds or with Ctrl-C;\n' +
        'if the process is killed, at most the last second is lost. Exits with 3 if a symbol received no market data. ' +
        'Needs no running system and no key.',
    )
    .requiredOption('--out <folder>', 'output folder, created if missing')
    .option('--seconds <number>', 'how long to record (default: until Ctrl-C)')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state record --venue hyperliquid --symbols BTCUSD-PERP,ETHUSD-PERP --out recordings --seconds 600\n',
    )
    .runs<RecordSettings>(
      (operands, options, fault, io) => ({ ...readLiveSettings(operands, options, fault, io), out: textOption(options, 'out') ?? '' }),
      record,
    );
}

async function record({ venue, url, instruments, seconds, out, format }: RecordSettings, io: CliIo): Promise<ExitCode> {
  const folder = resolve(io.cwd, out);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${out}: cannot create the folder (${error.code ?? error.message})`);
  });
  const files = new Map<string, RecordingFile>();
  const heard = new Set<string>();
  const clocks = new Map(instruments.map(({ symbol }) => [symbol, new ClockOffsets()]));
  const startedAt = instant(Math.floor(Date.now() / 1_000) * 1_000).replaceAll(/[-:]/g, '');
  const fileOf = (symbol: string): RecordingFile => {
    const file = files.get(symbol) ?? new RecordingFile(join(folder, `${venue}_${symbol}_${startedAt}.gz`));
    files.set(symbol, file);
    return file;
  };
  const flushing = setInterval(() => {
    for (const file of files.values()) file.flush();
  }, FLUSH_EVERY_MS);
  const progress = createProgress(io);
  let players: Players;
  try {
    players = await followVenue(
      { source: openSource(venue, url, instruments), instruments, seconds, signal: io.signal },
      {
        onMessage(symbol, { receivedMs }, line) {
          if (!line.includes('\n')) fileOf(symbol).write(receivedMs, line);
          progress.report(() => [...files].map(([name, { lines }]) => `${name}: ${count(lines)} messages`).join(', '));
        },
        onEntries(symbol, entries) {
          if (entries.some(({ event: { kind } }) => kind !== 'tick' && kind !== 'feed_status')) heard.add(symbol);
        },
        onTimes: (symbol, receivedMs, times) => clocks.get(symbol)?.add(receivedMs, times),
        onMissing: (symbol, reason) => io.stderr.write(`${symbol}: no data: ${reason}; waiting until the venue lists it\n`),
        onSilent: (symbol, reason) => io.stderr.write(`${symbol}: ${reason} although the venue responds; resubscribing\n`),
        onLost: (reason) => io.stderr.write(`connection lost: ${reason}; reconnecting\n`),
        onNoBook: (symbol, reason) => io.stderr.write(`${symbol}: no complete book: ${reason}; retrying\n`),
      },
    );
  } finally {
    clearInterval(flushing);
    progress.end();
    for (const file of files.values()) file.close();
  }
  report(instruments, files, players, format, io);
  for (const [symbol, offsets] of clocks) {
    const sentence = offsets.sentence();
    if (sentence !== undefined) io.stderr.write(`${symbol}: ${sentence}\n`);
  }
  const silent = instruments.map(({ symbol }) => symbol).filter((symbol) => !heard.has(symbol));
  if (silent.length > 0) throw incomplete(`No book or trade received for ${silent.join(', ')}.`);
  return EXIT.done;
}

function report(
  instruments: readonly PlayedInstrument[],
  files: ReadonlyMap<string, RecordingFile>,
  players: Players,
  format: ResultFormat,
  io: CliIo,
): void {
  const rows = [...files].map(([symbol, { path, lines, bytes, firstMs = 0, lastMs }]) => [
    symbol,
    instant(firstMs),
    `${((lastMs - firstMs) / 1_000).toFixed(1)} s`,
    count(lines),
    count(bytes),
    path,
  ]);
  const result = [...files].map(([symbol, { path, lines, bytes, firstMs = 0, lastMs }]) => ({
    symbol,
    from_utc: instant(firstMs),
    span_ms: lastMs - firstMs,
    messages: lines,
    bytes,
    file: path,
  }));
  const lines = rows.length === 0 ? [] : wholeTable(['symbol', 'from', 'span', 'messages', 'bytes', 'file'], rows);
  writeResult(io, format, result, lines);
  for (const { symbol } of instruments) {
    const refused = Object.entries(players.get(symbol)?.rejections ?? {}).filter(([, total]) => total > 0);
    if (refused.length > 0)
      io.stderr.write(
        `${symbol}: recorded, but the labeler rejects: ` +
          `${refused.map(([reason, total]) => `${reason} ${counted(total, 'time')}`).join(', ')}\n`,
      );
  }
}
