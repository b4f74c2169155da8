import type { CliCommand, Fault } from '../arguments/cli-command';
import { instantOption, SYMBOL, textOption, type Options } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { dryRun } from '../client/dry-run';
import { runClient, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';
import { withLiveOutput } from '../io/line-output';
import { createRowWriter, type RowWriter, withRowWriter } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { codeOfEnd, sayStanding } from './ends';
import { CHANNELS, gapRow, ROW_COLUMNS, rowOf } from './message-rows';
import { readChannels } from './tail-settings';

const SPEED = /^([1-9]\d?|100|max)$/;

/** What `replay` was asked to replay. */
export interface ReplaySettings extends ClientSettings {
  readonly symbol?: string;
  readonly start?: string;
  readonly end?: string;
  readonly asOf?: string;
  readonly channels?: readonly string[];
  readonly speed: string;
}

export function withReplayOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--from <time>', 'start, inclusive: UTC time or epoch milliseconds; without it, 5 minutes before the end')
      .option('--to <time>', 'end, exclusive, at most 24 hours later; without it, now')
      .option('--as-of <time>', 'what was received by this instant')
      .option('--channels <list>', `of ${CHANNELS.join(', ')}; without it, all that the venue reports`)
      .option('--speed <n>', '1 to 100 times the recorded pace, or max', 'max'),
  );
}

export function readReplaySettings(operands: readonly string[], options: Options, fault: Fault): ReplaySettings {
  const [symbol, ...more] = operands;
  if (more.length > 0) fault(`one symbol at a time, not also ${more.join(', ')}`);
  if (symbol !== undefined && !SYMBOL.test(symbol)) fault(`a symbol must look like BTCUSD-PERP, not ${JSON.stringify(symbol)}`);
  const speed = textOption(options, 'speed') ?? 'max';
  if (!SPEED.test(speed)) fault(`--speed must be a whole number from 1 to 100, or max, not ${JSON.stringify(speed)}`);
  const utc = (name: string): string | undefined => {
    const ms = instantOption(options, name, fault);
    return ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  };
  const [start, end] = [utc('from'), utc('to')];
  if (start !== undefined && end !== undefined && start >= end) fault('--to must be after --from');
  return { ...readClientSettings(options, fault), symbol, start, end, asOf: utc('asOf'), channels: readChannels(options, fault), speed };
}

/** Replays rows; the receipt of the service closes it: 6 where rows are missing. */
export function replay(settings: ReplaySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { symbol, start, end, asOf, channels, speed } = settings;
    const span = {
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(asOf === undefined ? {} : { as_of: asOf }),
    };
    const asked = {
      ...span,
      ...(symbol === undefined ? {} : { symbol }),
      ...(channels === undefined ? {} : { channels: channels.join(',') }),
      speed,
    };
    if (settings.isDryRun) return dryRun(session, { operation: 'streamDataReplay', params: asked }, settings, io);
    const format = formatOf(settings, io.stdout);
    return withLiveOutput(io, async (output) => {
      const columns = settings.fields ?? ROW_COLUMNS;
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: speed !== 'max' });
      return withRowWriter(writer, () => play(session, settings, writer, format === 'table' || format === 'csv', io.signal));
    });
  });
}

async function play(
  { ms, say }: Session,
  settings: ReplaySettings,
  writer: RowWriter,
  isForPeople: boolean,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { symbol, start, end, asOf: as_of, channels, speed } = settings;
  const options = { signal, onConnection: (standing: Parameters<typeof sayStanding>[0]) => sayStanding(standing, say) };
  let rows = 0;
  let exitCode: ExitCode = EXIT.incomplete;
  for await (const message of ms.stream.replay({ symbols: symbol, start, end, as_of, channels, speed }, options)) {
    switch (message.type) {
      case 'plan': {
        const { start_utc: from, end_utc: to, rows_expected: expected, channels: named } = message.data;
        say(`${message.symbol}: ${counted(expected, 'row')} of ${named.join(', ')}, from ${from} to before ${to}`);
        break;
      }
      case 'row':
        rows += 1;
        if (!(await writer.write(rowOf(message.symbol, message.data, isForPeople)))) return EXIT.done;
        break;
      case 'gap':
        if (!(await writer.write(gapRow(message.symbol, message.data, isForPeople)))) return EXIT.done;
        break;
      case 'receipt': {
        const { status, rows_expected: expected, gap_ids: gaps, rows_sha256: digest, reasons } = message.data;
        const isWhole = status === 'complete' && rows === expected;
        exitCode = isWhole ? EXIT.done : EXIT.unusable;
        const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
        say(
          `${isWhole ? 'complete' : 'PARTIAL'}${why}: ${count(rows)} of ${counted(expected, 'row')}, ${counted(gaps.length, 'gap')}, rows_sha256 ${digest}`,
        );
        break;
      }
      case 'end':
        if (exitCode === EXIT.incomplete) {
          say(`the service ended the replay before its receipt: ${message.code}`);
          return codeOfEnd(message.code);
        }
    }
  }
  return exitCode;
}
