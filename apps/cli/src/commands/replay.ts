import type { PlanMessage, ReceiptMessage } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type ExitCode, EXIT } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { runCall, type Session } from '../client/run-client';
import { withLiveOutput } from '../io/line-output';
import { createRowWriter, present, type RowWriter, withRowWriter } from '../output/row-writer';
import { formatOf, type Format } from '../output/settings';
import { rowColumns, gapRow, rowOf, CHANNELS } from '../streams/message-rows';
import { count, counted } from '../io/instant';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';
import { checkSymbol, spanOption, textOption, utcOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { MESSAGE_ID, readChannels, SYMBOLS_MAX } from '../streams/tail-settings';

const SPEED = /^([1-9]\d?|100|max)$/;

interface ReplaySettings extends ClientSettings {
  readonly symbols: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly asOf?: string;
  readonly channels?: readonly string[];
  readonly speed: string;
  /** Id of the last message of an earlier run. Absent: from the beginning. */
  readonly after?: string;
}

function withReplayOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--from <time>', 'start, inclusive, as UTC time, epoch milliseconds or relative (-1h) (default: 5 minutes before the end)')
      .option('--to <time>', 'end, exclusive, at most 24 hours later (default: now)')
      .option('--as-of <time>', 'only rows received by this instant')
      .option('--channels <list>', `comma-separated channels: ${CHANNELS.join(', ')} (default: all the venue reports)`)
      .option('--speed <n>', '1 to 100 times the recorded speed, or max', 'max')
      .option('--after <id>', 'resume an interrupted replay; it prints the value to use'),
  );
}

function readReplaySettings(operands: readonly string[], options: Options, fault: Fault): ReplaySettings {
  const symbols = [...new Set(operands)];
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  for (const symbol of symbols) checkSymbol(symbol, fault);
  const speed = textOption(options, 'speed') ?? 'max';
  if (!SPEED.test(speed)) fault(`--speed must be a whole number from 1 to 100, or max, not ${JSON.stringify(speed)}`);
  const { from: start, to: end } = spanOption(options, fault);
  const after = textOption(options, 'after');
  if (after !== undefined && !MESSAGE_ID.test(after))
    fault(`--after must be a message id as printed by an interrupted replay, not ${JSON.stringify(after)}`);
  if (after !== undefined && (start === undefined || end === undefined)) fault('--after requires the original --from and --to');
  const [client, channels] = [readClientSettings(options, fault), readChannels(options, fault)];
  return { ...client, symbols, start, end, asOf: utcOption(options, 'asOf', fault), channels, speed, after };
}

type Plan = PlanMessage['data'];

interface Progress {
  readonly plans: Plan[];
  readonly rows: Map<string, number>;
  readonly codes: ExitCode[];
  id?: string;
}

/** Writes rows and gaps. If interrupted, prints the options to resume. */
async function playReplay(
  session: Session,
  settings: ReplaySettings,
  writer: RowWriter,
  format: Format,
  signal: AbortSignal,
): Promise<ExitCode> {
  const progress: Progress = { plans: [], rows: new Map(), codes: [] };
  try {
    return await readReplay(session, settings, progress, writer, format, signal);
  } catch (error) {
    if (signal.aborted && progress.id !== undefined) session.say(howToGoOn(progress));
    throw error;
  }
}

async function readReplay(
  session: Session,
  settings: ReplaySettings,
  progress: Progress,
  writer: RowWriter,
  format: Format,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { symbols, start, end, asOf: as_of, channels, speed, after } = settings;
  const { ms, say } = session;
  const options = { signal, onConnection: createConnectionReporter(session) };
  const params = { ...(symbols.length === 0 ? {} : { symbols }), start, end, as_of, channels, speed, resumeFrom: after };
  const { plans, rows, codes } = progress;
  for await (const message of ms.stream.replay(params, options)) {
    switch (message.type) {
      case 'plan': {
        const { start_utc: from, end_utc: to, rows_expected: expected, channels: named } = message.data;
        plans.push(message.data);
        say(`${message.symbol}: ${counted(expected, 'row')} of ${named.join(', ')}, from ${from} until ${to}`);
        break;
      }
      case 'row':
        rows.set(message.symbol, (rows.get(message.symbol) ?? 0) + 1);
        if (!(await writer.write(rowOf(message.symbol, message.data, format)))) return EXIT.done;
        progress.id = message.id;
        break;
      case 'gap':
        if (!(await writer.write(gapRow(message.symbol, message.data, format)))) return EXIT.done;
        if (message.id !== '') progress.id = message.id;
        break;
      case 'receipt':
        codes.push(sayReceipt(message, rows.get(message.symbol) ?? 0, settings, say));
        break;
      case 'end':
        if (codes.length < Math.max(1, symbols.length)) {
          say(`the service ended the replay before its receipt: ${message.code}`);
          return codeOfEnd(message.code);
        }
    }
  }
  return codes.find((code) => code !== EXIT.done) ?? (codes.length === 0 ? EXIT.incomplete : EXIT.done);
}

/** In a resumed replay, the earlier rows were received by the previous run. */
function sayReceipt({ symbol, data }: ReceiptMessage, rows: number, { symbols, after }: ReplaySettings, say: Session['say']): ExitCode {
  const { status, rows_expected: expected, gap_ids: gaps, rows_sha256: digest, reasons } = data;
  const isWhole = status === 'complete' && (after !== undefined || rows === expected);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  const whose = symbols.length > 1 ? `${symbol} ` : '';
  const came = after === undefined ? `${count(rows)} of ${counted(expected, 'row')}` : `last ${count(rows)} of ${counted(expected, 'row')}`;
  say(`${whose}${isWhole ? 'complete' : 'PARTIAL'}${why}: ${came}, ${counted(gaps.length, 'gap')}, rows_sha256 ${digest}`);
  return isWhole ? EXIT.done : EXIT.unusable;
}

/** Same window, as of the instant by which everything sent had been received. */
function howToGoOn({ plans, id }: Progress): string {
  const [{ start_utc: from = '', end_utc: to = '' } = {}] = plans;
  const asOf = plans
    .map((plan) => plan.as_of_utc)
    .sort()
    .at(-1);
  return `resume with --after ${id} --from ${from} --to ${to} --as-of ${asOf}`;
}

/** Exits with 6 if the receipt reports missing rows. */
function replay(settings: ReplaySettings, io: CliIo): Promise<ExitCode> {
  const { symbols, start, end, asOf: as_of, channels, speed } = settings;
  const symbol = symbols.length === 0 ? undefined : symbols.join(',');
  const params = present({ start, end, as_of, symbol, channels: channels?.join(','), speed });
  return runCall(io, settings, { operation: 'streamDataReplay', params }, async (session) => {
    const format = formatOf(settings, io.stdout);
    return withLiveOutput(io, async (output) => {
      const columns = settings.fields ?? rowColumns(format, channels);
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: speed !== 'max' });
      return withRowWriter(writer, () => playReplay(session, settings, writer, format, io.signal));
    });
  });
}

export function replayCommand(): CliCommand {
  return withReplayOptions(new CliCommand('replay'))
    .summary('replay the recorded rows of a span at any speed')
    .description(
      'Replays the rows of a symbol in log order, including gaps. Several symbols are merged by receive time. ' +
        'Ends with one receipt per symbol on stderr: rows expected, rows received, and the digest ' +
        'over them. Exits with 6 if rows are missing. An interrupted replay prints how to resume. 100 messages cost one credit.',
    )
    .argument('[symbol...]', 'up to 20 symbols (default: the service’s default symbol)')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state replay BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T10:05:00Z --max-credits 200 > rows.ndjson\n' +
        '  $ market-state replay SIMUSD-PERP --channels trades --speed 10 --output table\n' +
        '  $ market-state replay BTCUSD-PERP ETHUSD-PERP --channels trades > both.ndjson\n',
    )
    .runs<ReplaySettings>(readReplaySettings, replay);
}
