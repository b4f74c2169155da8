import { EXIT, type ExitCode } from '../cli-error';
import { count, counted, instant } from '../io/instant';
import type { SymbolVerification } from './check-symbol';
import type { ExportVerification } from './verify-export';

type Verdict = 'equal' | 'whole' | 'different' | 'incomplete';

/** `whole`: no faults, but nothing was compared with the API. */
export function verdictOf({ faults, symbols, isCompared, isCheckable }: ExportVerification): Verdict {
  if (faults.length > 0) return 'different';
  if (!isCompared) return 'whole';
  const isFinished = ({ refusal, comparison }: SymbolVerification): boolean => refusal === undefined && !(comparison?.notCompared ?? 0);
  return isCheckable && symbols.every(isFinished) ? 'equal' : 'incomplete';
}

const EXIT_CODES: Readonly<Record<Verdict, ExitCode>> = {
  equal: EXIT.done,
  whole: EXIT.done,
  different: EXIT.different,
  incomplete: EXIT.incomplete,
};

export function exitCodeOf(verification: ExportVerification): ExitCode {
  return EXIT_CODES[verdictOf(verification)];
}

const WORDS: Readonly<Record<Verdict, string>> = {
  equal: 'EQUAL: every file matches its digest, and every row matches the API',
  whole: 'WHOLE: every file matches its digest; nothing was compared with the API (pass --url)',
  different: 'DIFFERENT: the files do not match what was exported',
  incomplete: 'INCOMPLETE: some rows could not be compared with the API',
};

const TITLE_WIDTH = 14;

export function describe(verification: ExportVerification, withWindows: boolean): readonly string[] {
  const { jobId, request, fileTotal, soundTotal, symbols, unread, isCheckable, faults } = verification;
  const { dataset, format, from_utc: fromMs, to_utc: toMs, as_of_utc: asOfMs } = request;
  const lines = [`${jobId}  ${WORDS[verdictOf(verification)]}`];
  const say = (title: string, text: string): void => void lines.push(`  ${title.padEnd(TITLE_WIDTH)}${text}`);
  say('export', `${dataset} in ${format}, from ${instant(fromMs)} until ${instant(toMs)}, as of ${instant(asOfMs)}`);
  say('files', `${count(soundTotal)} of ${count(fileTotal)} match the manifest`);
  if (!isCheckable) say('rows', notCheckable(verification));
  if (dataset === 'candles' && !verification.isCompared)
    say('rows', 'only counted: candles can only be compared with the API (pass --url)');
  for (const symbol of symbols) {
    for (const [index, line] of symbolLines(verification, symbol, withWindows).entries()) say(index === 0 ? symbol.symbol : '', line);
  }
  for (const symbol of unread) say(symbol, 'not read: a file is damaged or missing');
  for (const fault of faults) say('fault', fault);
  return lines;
}

function notCheckable({ request: { dataset, depth } }: ExportVerification): string {
  const why = dataset === 'book' && depth !== null && depth < 25 ? `it has only ${depth} of 25 levels` : 'columns are missing';
  return `only counted: rows cannot be converted back to those of the API, because ${why}`;
}

function symbolLines({ request, isCheckable }: ExportVerification, verified: SymbolVerification, withWindows: boolean): readonly string[] {
  const { rows, unchecked, sha256, windows, comparison, equalCandles, refusal } = verified;
  const lines = [counted(rows, 'row')];
  if (isCheckable && request.dataset !== 'candles') {
    lines[0] += `, chain ${sha256}`;
    if (unchecked > 0) lines.push(`${count(unchecked)} unchecked: recorded before exchange_ts_is_receive_time existed`);
    if (withWindows)
      for (const window of windows) lines.push(`${instant(window.startMs)} to ${instant(window.endMs)}  ${window.rows}  ${window.sha256}`);
  }
  if (comparison !== undefined) lines.push(...comparisonLines(windows.length, comparison));
  if (equalCandles !== undefined) lines.push(`${counted(equalCandles, 'candle')} equal to the API, field by field`);
  if (refusal !== undefined) lines.push(`not compared: ${refusal}`);
  return lines;
}

function comparisonLines(total: number, comparison: NonNullable<SymbolVerification['comparison']>): readonly string[] {
  const { equal, different, empty, notCompared, firstReason } = comparison;
  const lines = [`${counted(total, 'window')} of up to one hour: ${count(equal)} equal to the API, ${count(different)} different`];
  if (empty > 0) lines.push(`${count(empty)} without rows, here and in the API`);
  if (notCompared > 0) lines.push(`${count(notCompared)} not compared, the first: ${firstReason ?? ''}`);
  return lines;
}
