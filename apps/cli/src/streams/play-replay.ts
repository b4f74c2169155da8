import type { PlanMessage, ReceiptMessage } from '@market-state/client';
import { EXIT, type ExitCode } from '../cli-error';
import type { Session } from '../client/run-client';
import { count, counted } from '../io/instant';
import type { RowWriter } from '../output/row-writer';
import type { Format } from '../output/settings';
import { codeOfEnd, createConnectionReporter } from './ends';
import { gapRow, rowOf } from './message-rows';
import type { ReplaySettings } from './replay-settings';

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
export async function playReplay(
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
