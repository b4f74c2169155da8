import { isUsable, type MarketState, type OperationId, type Params } from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { runCall, type Session } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { type LineOutput, withOutput } from '../io/line-output';
import { isRow, type Row, memberAt, createRowWriter, type RowWriter, writeObject } from '../output/row-writer';
import { type Format, formatOf } from '../output/settings';
import { listIn, type Read } from './read';
import { CURRENT } from './reads';
import type { ReadSettings } from './settings';

/** The read's own, else all scalar members. */
function columnsOf({ columns }: Pick<Read, 'columns'>, rows: readonly Row[]): readonly string[] {
  if (columns !== undefined) return columns;
  const [first = {}] = rows;
  return Object.keys(first).filter((name) => !Array.isArray(first[name]) && !isRow(first[name]));
}

/** Undefined if the answer has none. */
function statusLine(answer: Row): string | undefined {
  const semantics = memberAt(answer, 'meta.response_semantics');
  if (!isRow(semantics)) return undefined;
  const asOf = answer['as_of_utc'];
  const state = [semantics['response_state'], semantics['stale'] === true ? 'stale' : ''].filter((word) => word !== '').join(', ');
  return `${state}${typeof asOf === 'string' ? `, as of ${asOf}` : ''}: ${String(semantics['status_text'])}`;
}

/** Exits with 6 if current data is unusable. */
export function runRead(settings: ReadSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, settings, async (session) => {
    const format = formatOf(settings, io.stdout);
    return withOutput(io, undefined, (output) => show(session, settings, format, output, io.signal));
  });
}

type Answers = AsyncIterable<{ readonly data: unknown }>;

async function show(session: Session, settings: ReadSettings, format: Format, output: LineOutput, signal: AbortSignal): Promise<ExitCode> {
  const { read, operation, fields } = settings;
  const answers = answersOf(session.ms, settings, signal);
  const isPaged = describeOperation(operation).rows !== null && read.isOnePage !== true;
  const isObject = operation !== read.operation || (read.list === undefined && read.rows === undefined);
  const isAsItCame = !isPaged && fields === undefined && (format === 'json' || (format === 'ndjson' && read.list === undefined));
  return isObject || isAsItCame
    ? showObject(session, settings, answers, format, output)
    : showRows(session, settings, answers, format, output);
}

/** Streams every page of a paged answer. */
function answersOf(ms: MarketState, { read, operation, params }: ReadSettings, signal: AbortSignal): Answers {
  const given = params as Params<typeof operation>;
  if (describeOperation(operation).rows !== null && read.isOnePage !== true) return ms.rows(operation, given, { signal }).pages();
  return once(() => ms.call(operation as 'getLatest', given as Params<'getLatest'>, { signal }));
}

async function* once<T>(ask: () => Promise<T>): AsyncGenerator<T, void, undefined> {
  yield await ask();
}

async function showObject(
  { say }: Session,
  settings: ReadSettings,
  answers: Answers,
  format: Format,
  output: LineOutput,
): Promise<ExitCode> {
  const { read, operation, fields } = settings;
  for await (const { data } of answers) {
    const answer = isRow(data) ? data : { text: data };
    const isWhole = read.object === undefined || operation !== read.operation || (format === 'json' && fields === undefined);
    const shown = isWhole ? answer : read.object(answer);
    if (fields !== undefined) refuseUnknown(shown, fields);
    await writeObject(output, shown, format, fields);
    return said(answer, settings, say);
  }
  return EXIT.done;
}

async function showRows({ say }: Session, settings: ReadSettings, answers: Answers, format: Format, output: LineOutput): Promise<ExitCode> {
  const { read, operation, fields, limit = Number.POSITIVE_INFINITY } = settings;
  let writer: RowWriter | undefined;
  let exitCode: ExitCode = EXIT.done;
  let last: Row = {};
  let total = 0;
  try {
    for await (const { data } of answers) {
      last = isRow(data) ? data : {};
      exitCode = Math.max(exitCode, usability(last, operation)) as ExitCode;
      const rows = rowsOf(last, read, format, fields !== undefined);
      if (rows.length > 0 && fields !== undefined && writer === undefined) refuseUnknown(rows[0] as Row, fields);
      writer ??= createRowWriter(output, {
        format,
        columns: fields ?? columnsOf(read, rows),
        areChosen: fields !== undefined,
        isLive: false,
      });
      for (const row of rows.slice(0, limit - total)) if (!(await writer.write(row))) return EXIT.done;
      total += rows.length;
      if (total >= limit) break;
    }
  } catch (error) {
    await writer?.cutShort();
    throw error;
  }
  await writer?.end();
  said(last, settings, say);
  return exitCode;
}

/** Tables, CSV and chosen fields use the rows made for display. */
function rowsOf(answer: Row, { list, rows }: Read, format: Format, areChosen: boolean): readonly Row[] {
  if (rows !== undefined && (format === 'table' || format === 'csv' || areChosen)) return rows(answer);
  return list === undefined ? [answer] : listIn(answer, list);
}

function refuseUnknown(row: Row, fields: readonly string[]): void {
  const names = Object.keys(row);
  const unknown = fields.filter((field) => !names.includes(field.split('.')[0] ?? ''));
  if (unknown.length > 0) throw badInput(`--fields: unknown ${unknown.join(', ')}; available: ${names.join(', ')}`);
}

function said(answer: Row, { read, operation }: ReadSettings, say: (line: string) => void): ExitCode {
  if (operation === read.operation) for (const note of read.notes?.(answer) ?? []) say(note);
  const line = statusLine(answer);
  if (line !== undefined) say(line);
  return usability(answer, operation);
}

function usability(answer: Row, operation: OperationId): ExitCode {
  return CURRENT.has(operation) && !isUsable(answer) ? EXIT.unusable : EXIT.done;
}
