import type { PlanMessage, ReceiptMessage } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type ExitCode, EXIT } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { dryRun, runClient, type Session } from '../client/run-client';
import { withLiveOutput } from '../io/line-output';
import { createRowWriter, withRowWriter, type RowWriter } from '../output/row-writer';
import { formatOf, type Format } from '../output/settings';
import { rowColumns, gapRow, rowOf, CHANNELS } from '../streams/message-rows';
import { count, counted } from '../io/instant';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';
import { instantOption, SYMBOL, textOption, type Options } from '../arguments/values';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { MESSAGE_ID, readChannels, SYMBOLS_MAX } from '../streams/tail-settings';

const SPEED = /^([1-9]\d?|100|max)$/;

/** What `replay` was asked to replay. */
interface ReplaySettings extends ClientSettings {
  /** None: the default symbol of the service. */
  readonly symbols: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly asOf?: string;
  readonly channels?: readonly string[];
  readonly speed: string;
  /** The id of the last message had of this replay; absent: from the start. */
  readonly after?: string;
}

function withReplayOptions(command: CliCommand): CliCommand {
  return withClientOptions(
    command
      .option('--from <time>', 'start, inclusive: UTC time or epoch milliseconds; without it, 5 minutes before the end')
      .option('--to <time>', 'end, exclusive, at most 24 hours later; without it, now')
      .option('--as-of <time>', 'what was received by this instant')
      .option('--channels <list>', `of ${CHANNELS.join(', ')}; without it, all that the venue reports`)
      .option('--speed <n>', '1 to 100 times the recorded pace, or max', 'max')
      .option('--after <id>', 'go on with a replay that was interrupted: it says how'),
  );
}

function readReplaySettings(operands: readonly string[], options: Options, fault: Fault): ReplaySettings {
  const symbols = [...new Set(operands)];
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  for (const symbol of symbols) if (!SYMBOL.test(symbol)) fault(`a symbol must look like BTCUSD-PERP, not ${JSON.stringify(symbol)}`);
  const speed = textOption(options, 'speed') ?? 'max';
  if (!SPEED.test(speed)) fault(`--speed must be a whole number from 1 to 100, or max, not ${JSON.stringify(speed)}`);
  const utc = (name: string): string | undefined => {
    const ms = instantOption(options, name, fault);
    return ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  };
  const [start, end] = [utc('from'), utc('to')];
  if (start !== undefined && end !== undefined && start >= end) fault('--to must be after --from');
  const after = textOption(options, 'after');
  if (after !== undefined && !MESSAGE_ID.test(after))
    fault(`--after must be the id of a message, as an interrupted replay prints it, not ${JSON.stringify(after)}`);
  if (after !== undefined && (start === undefined || end === undefined)) fault('--after needs --from and --to as they were');
  const [client, channels] = [readClientSettings(options, fault), readChannels(options, fault)];
  return { ...client, symbols, start, end, asOf: utc('asOf'), channels, speed, after };
}

type Plan = PlanMessage['data'];

/** How far a replay has come. */
interface Progress {
  readonly plans: Plan[];
  /** Rows had of each symbol. */
  readonly rows: Map<string, number>;
  /** Of each receipt. */
  readonly codes: ExitCode[];
  id?: string;
}

/** Writes the rows and gaps of a replay. One that is interrupted says how to go on with it. */
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
  const asked = { ...(symbols.length === 0 ? {} : { symbols }), start, end, as_of, channels, speed, resumeFrom: after };
  const { plans, rows, codes } = progress;
  for await (const message of ms.stream.replay(asked, options)) {
    switch (message.type) {
      case 'plan': {
        const { start_utc: from, end_utc: to, rows_expected: expected, channels: named } = message.data;
        plans.push(message.data);
        say(`${message.symbol}: ${counted(expected, 'row')} of ${named.join(', ')}, from ${from} to before ${to}`);
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

/** Of a replay that is gone on with, the rows before are those of the run before. */
function sayReceipt({ symbol, data }: ReceiptMessage, rows: number, { symbols, after }: ReplaySettings, say: Session['say']): ExitCode {
  const { status, rows_expected: expected, gap_ids: gaps, rows_sha256: digest, reasons } = data;
  const isWhole = status === 'complete' && (after !== undefined || rows === expected);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  const whose = symbols.length > 1 ? `${symbol} ` : '';
  const came =
    after === undefined ? `${count(rows)} of ${counted(expected, 'row')}` : `the last ${count(rows)} of ${counted(expected, 'row')}`;
  say(`${whose}${isWhole ? 'complete' : 'PARTIAL'}${why}: ${came}, ${counted(gaps.length, 'gap')}, rows_sha256 ${digest}`);
  return isWhole ? EXIT.done : EXIT.unusable;
}

/** The same replay after its last row: its window, as of the instant by which all that was sent had been received. */
function howToGoOn({ plans, id }: Progress): string {
  const [{ start_utc: from = '', end_utc: to = '' } = {}] = plans;
  const asOf = plans
    .map((plan) => plan.as_of_utc)
    .sort()
    .at(-1);
  return `go on with --after ${id} --from ${from} --to ${to} --as-of ${asOf}`;
}

/** Replays rows; the receipt of the service closes it: 6 where rows are missing. */
function replay(settings: ReplaySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { symbols, start, end, asOf, channels, speed } = settings;
    const span = {
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(asOf === undefined ? {} : { as_of: asOf }),
    };
    const asked = {
      ...span,
      ...(symbols.length === 0 ? {} : { symbol: symbols.join(',') }),
      ...(channels === undefined ? {} : { channels: channels.join(',') }),
      speed,
    };
    if (settings.isDryRun) return dryRun(session, { operation: 'streamDataReplay', params: asked }, settings, io);
    const format = formatOf(settings, io.stdout);
    return withLiveOutput(io, async (output) => {
      const columns = settings.fields ?? rowColumns(format, channels);
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: speed !== 'max' });
      return withRowWriter(writer, () => playReplay(session, settings, writer, format, io.signal));
    });
  });
}

/** `replay`: recorded rows of a span. */
export function replayCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withReplayOptions(new CliCommand('replay'))
    .summary('recorded rows of a span, at any pace')
    .description(
      'Replays the rows of a symbol in the order of its log, gaps among them; of several symbols, merged by when the rows were received. ' +
        'The receipt of the service closes it on stderr, one for each symbol: how many rows there are, how many came, and the digest ' +
        'over them. Exits with 6 where rows are missing. A replay that is interrupted says how to go on with it. 100 messages cost a credit.',
    )
    .argument('[symbol...]', 'at most 20; without one, the default symbol of the service')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state replay BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T10:05:00Z --max-credits 200 > rows.ndjson\n' +
        '  $ market-state replay SIMUSD-PERP --channels trades --speed 10 --output table\n' +
        '  $ market-state replay BTCUSD-PERP ETHUSD-PERP --channels trades > both.ndjson\n',
    )
    .runs<ReplaySettings>(readReplaySettings, (settings) => replay(settings, io), onExitCode);
}
