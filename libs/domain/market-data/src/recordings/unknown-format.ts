import { CSV_HEADERS } from '../csv/columns';

/** First lines that are nearly a recording, and what to do about them: more than that no format is known. */
const NEARLY: readonly (readonly [RegExp, (line: string) => string])[] = [
  [
    /^[0-9]{13} [{[]/,
    () =>
      "its receive times are milliseconds: receive times are nanoseconds, so put six zeros behind them: sed -E 's/^([0-9]{13}) /\\1000000 /'",
  ],
  [
    /^[0-9]{9,10}(?:\.[0-9]+)? [{[]/,
    () =>
      'its receive times are seconds: receive times are nanoseconds, so write them with 19 digits: awk \'{ sub(/^[^ ]+/, sprintf("%.0f000", $1 * 1e6)) } 1\'',
  ],
  [
    /^\{"(?:stream|e|lastUpdateId|channel|topic)":/,
    () =>
      'its lines begin with the message: each must begin with the receive time in nanoseconds and a space, as `market-state record` writes it',
  ],
  [
    /^\{"t":"header","format":[0-9]{1,3},"exchange":"([A-Z0-9_.]{1,40})"/,
    (line) =>
      `it is a cryptofeed capture of ${/"exchange":"([A-Z0-9_.]{1,40})"/.exec(line)?.[1] ?? ''}: of those only Bybit's are read; ` +
      'its books and trades as CSV can be labelled, see docs/how-to/recording.md',
  ],
  [
    /^"?[A-Za-z][\w ./()-]*"?(?:[,;\t]"?[\w ./()-]*"?){2,}$/,
    (line) =>
      line.includes(',')
        ? `it is a CSV without a column exchange_time_ms (or _s, _us, _ns, _utc): name its columns so, as docs/how-to/recording.md says:\n${headers()}`
        : `it is a table whose columns are not parted by commas: part them so, and name them as docs/how-to/recording.md says:\n${headers()}`,
  ],
  [/^\uFFFD{2}|\u0000/, () => 'it is no UTF-8 text, as files that PowerShell writes with > (UTF-16): write it as UTF-8'],
];

function headers(): string {
  return CSV_HEADERS.map((header) => `  ${header}`).join('\n');
}

/** What is to be done about a file whose first line is in no format, where that is known. */
export function adviceOn(firstLine: string): string | undefined {
  return NEARLY.find(([form]) => form.test(firstLine))?.[1](firstLine);
}
