import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';
import { createProgress } from '../io/progress';
import { wholeTable } from '../io/table';
import { followVenue, type Players, untilOver } from '../live/follow-venue';
import { type LiveSettings, readLiveSettings, withLiveOptions } from '../live/live-settings';
import { openSource } from '../live/live-venues';
import { LogWatch } from '../live/log-watch';
import { MessageTally } from '../live/message-tally';

const SECONDS = 60;

/** `doctor`: what a live venue sends against what its adapter expects. */
export function doctorCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withLiveOptions(new CliCommand('doctor'))
    .summary('watch a live venue and report what differs from what its adapter expects')
    .description(
      'Follows a venue as the service would and reports what its adapter does not expect: unknown kinds of messages and fields, ' +
        'kinds that\n' +
        'never come, silences beyond the limits, clocks apart, gaps, lost connections, rejected input by reason; and ' +
        'how many messages come.\n' +
        'Exits with 0 if nothing differs, 1 if something does, 3 if the venue cannot be reached. Needs no running system and no key.',
    )
    .option('--seconds <number>', 'how long', String(SECONDS))
    .addHelpText('after', '\nExample:\n  $ market-state doctor --venue binance-usdm --symbols SOLUSD-PERP\n')
    .runs<LiveSettings>(
      (_operands, options, fault) => readLiveSettings(options, fault),
      (settings) => watch(settings, io),
      onExitCode,
    );
}

async function watch({ venue, url, instruments, seconds = SECONDS }: LiveSettings, io: CliIo): Promise<ExitCode> {
  const startMs = Date.now();
  const tallies = new Map(instruments.map(({ symbol }) => [symbol, new MessageTally(venue)]));
  const watches = new Map(instruments.map((instrument) => [instrument.symbol, new LogWatch(instrument, startMs)]));
  const others = new MessageTally(venue);
  const differences: string[] = [];
  const progress = createProgress(io);
  const over = untilOver(io.signal, seconds);
  let players: Players;
  try {
    players = await followVenue(
      { source: openSource(venue, url, instruments), instruments, signal: over.signal },
      {
        onMessage(symbol, { text }) {
          tallies.get(symbol)?.take(text);
          progress.tell(() => `${Math.round((Date.now() - startMs) / 1_000)} of ${seconds} s`);
        },
        onTimes: (symbol, receivedMs, times) => watches.get(symbol)?.clocks.add(receivedMs, times),
        onOther: ({ text }) => others.take(text),
        onEntries: (symbol, entries) => watches.get(symbol)?.take(entries),
        onMissing: (symbol, reason) => differences.push(`${symbol}: nothing comes of it: ${reason}`),
        onSilent: (symbol, reason) => differences.push(`${symbol}: ${reason}, though the venue answers; subscribed again`),
        onLost: (reason) => differences.push(`the connection was lost: ${reason}`),
        onNoBook: (symbol, reason) => differences.push(`${symbol}: no complete book: ${reason}`),
      },
    );
  } finally {
    over.end();
    progress.end();
  }
  io.signal.throwIfAborted();
  const endMs = Date.now();
  for (const { symbol } of instruments) {
    const tally = tallies.get(symbol);
    const found = [
      ...(tally?.missing ?? []),
      ...(tally?.unknown ?? []),
      ...(watches.get(symbol)?.differences(players.get(symbol), endMs) ?? []),
    ];
    differences.push(...found.map((sentence) => `${symbol}: ${sentence}`));
  }
  differences.push(...others.unknown);
  for (const line of report(tallies, watches, (endMs - startMs) / 1_000)) io.stdout.write(`${line}\n`);
  const verdict =
    differences.length === 0
      ? 'nothing differs from what the adapter expects'
      : `${counted(differences.length, 'difference')} from what the adapter expects`;
  io.stdout.write(`${venue}: ${verdict}\n`);
  for (const difference of differences) io.stdout.write(`  ${difference}\n`);
  return differences.length === 0 ? EXIT.done : EXIT.different;
}

function report(tallies: ReadonlyMap<string, MessageTally>, watches: ReadonlyMap<string, LogWatch>, seconds: number): readonly string[] {
  const rows = [...tallies].flatMap(([symbol, tally]) =>
    tally.totals.map(([kind, total]) => [symbol, kind, count(total), (total / seconds).toFixed(1)]),
  );
  const lags = [...watches].map(
    ([symbol, { lagMs, entryTotal }]) =>
      `${symbol}: ${counted(entryTotal, 'log entry', 'log entries')}; books come ${lagMs ?? '-'} ms after their time, the middle of all`,
  );
  return [...wholeTable(['symbol', 'kind', 'messages', 'a second'], rows, 2), ...lags];
}
