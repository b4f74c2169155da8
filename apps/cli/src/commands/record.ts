import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { closeSync, openSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ClockOffsets, type PlayedInstrument } from '@market-state/market-data';
import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { createProgress } from '../io/progress';
import { wholeTable } from '../io/table';
import { followVenue, type Players, untilOver } from '../live/follow-venue';
import { type LiveSettings, readLiveSettings, withLiveOptions, openSource } from '../live/live-settings';

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

const FLUSH_EVERY_MS = 1_000;

interface RecordSettings extends LiveSettings {
  readonly out: string;
}

/** `record`: a live venue → recordings. */
export function recordCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withLiveOptions(new CliCommand('record'))
    .summary('record a live venue: files that label, report and the service read')
    .description(
      'Writes what a venue sends, one gzip file for each symbol: on each line the time of receipt in nanoseconds and the message as it came.\n' +
        'label, rows, report and diff-policy read these files, and FEED=recording plays them. Ends after ' +
        '--seconds, or with Ctrl-C;\n' +
        'if the program is killed, the file can be read up to its last second. Exits with 3 if no market data came of a symbol. ' +
        'Needs no running system and no key.',
    )
    .requiredOption('--out <folder>', 'folder of the files; made if missing')
    .option('--seconds <number>', 'how long; without it, until Ctrl-C')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state record --venue hyperliquid --symbols BTCUSD-PERP,ETHUSD-PERP --out recordings --seconds 600\n',
    )
    .runs<RecordSettings>(
      (_operands, options, fault) => ({ ...readLiveSettings(options, fault), out: textOption(options, 'out') ?? '' }),
      (settings) => record(settings, io),
      onExitCode,
    );
}

async function record({ venue, url, instruments, seconds, out }: RecordSettings, io: CliIo): Promise<ExitCode> {
  const folder = resolve(io.cwd, out);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${out}: the folder cannot be made (${error.code ?? error.message})`);
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
  const over = untilOver(io.signal, seconds);
  let players: Players;
  try {
    players = await followVenue(
      { source: openSource(venue, url, instruments), instruments, signal: over.signal },
      {
        onMessage(symbol, { receivedMs }, line) {
          if (!line.includes('\n')) fileOf(symbol).write(receivedMs, line);
          progress.tell(() => [...files].map(([name, { lines }]) => `${name}: ${count(lines)} messages`).join(', '));
        },
        onEntries(symbol, entries) {
          if (entries.some(({ event: { kind } }) => kind !== 'tick' && kind !== 'feed_status')) heard.add(symbol);
        },
        onTimes: (symbol, receivedMs, times) => clocks.get(symbol)?.add(receivedMs, times),
        onMissing: (symbol, reason) => io.stderr.write(`${symbol}: nothing comes of it: ${reason}; waiting until the venue lists it\n`),
        onSilent: (symbol, reason) => io.stderr.write(`${symbol}: ${reason}, though the venue answers; subscribing again\n`),
        onLost: (reason) => io.stderr.write(`connection lost: ${reason}; connecting again\n`),
        onNoBook: (symbol, reason) => io.stderr.write(`${symbol}: no complete book: ${reason}; asking again\n`),
      },
    );
  } finally {
    over.end();
    clearInterval(flushing);
    progress.end();
    for (const file of files.values()) file.close();
  }
  tell(instruments, files, players, io);
  for (const [symbol, offsets] of clocks) {
    const sentence = offsets.sentence();
    if (sentence !== undefined) io.stderr.write(`${symbol}: ${sentence}\n`);
  }
  const silent = instruments.map(({ symbol }) => symbol).filter((symbol) => !heard.has(symbol));
  if (silent.length > 0) throw incomplete(`Neither a book nor a trade came for ${silent.join(', ')}.`);
  return EXIT.done;
}

function tell(instruments: readonly PlayedInstrument[], files: ReadonlyMap<string, RecordingFile>, players: Players, io: CliIo): void {
  const rows = [...files].map(([symbol, { path, lines, bytes, firstMs = 0, lastMs }]) => [
    symbol,
    instant(firstMs),
    `${((lastMs - firstMs) / 1_000).toFixed(1)} s`,
    count(lines),
    count(bytes),
    path,
  ]);
  if (rows.length > 0)
    for (const line of wholeTable(['symbol', 'from', 'span', 'messages', 'bytes', 'file'], rows)) io.stdout.write(`${line}\n`);
  for (const { symbol } of instruments) {
    const refused = Object.entries(players.get(symbol)?.rejections ?? {}).filter(([, total]) => total > 0);
    if (refused.length > 0)
      io.stderr.write(
        `${symbol}: recorded, but rejected by the labeler: ` +
          `${refused.map(([reason, total]) => `${reason} ${counted(total, 'time')}`).join(', ')}\n`,
      );
  }
}
