import { CSV_HEADERS } from '../csv/columns';
import { type Json, parseObject } from '../json';

/** First lines that are nearly a recording, and what to do about them: more than that no format is known. */
const NEARLY: readonly (readonly [RegExp, (line: string) => string])[] = [
  [
    /^[0-9]{13}\s+[{[]/,
    () =>
      "its receive times are milliseconds: receive times are nanoseconds, so put six zeros behind them: sed -E 's/^([0-9]{13}) /\\1000000 /'",
  ],
  [
    /^[0-9]{9,10}(?:\.[0-9]+)?\s+[{[]/,
    () =>
      'its receive times are seconds: receive times are nanoseconds, so write them with 19 digits: awk \'{ sub(/^[^ ]+/, sprintf("%.0f000", $1 * 1e6)) } 1\'',
  ],
  [/^\[\s*(?:\{|$)/, () => "it is one JSON list: write its elements a line each: jq -c '.[]'"],
  [/^\{$/, () => 'its JSON stands over several lines: write each object on a line of its own: jq -c .'],
  [
    /^"?[A-Za-z][^,;\t{}:]*"?(?:[,;\t]"?[\w ./()[\]-]*"?){2,}$/,
    (line) =>
      line.includes(',')
        ? `it is a CSV without a column exchange_time_ms (or _s, _us, _ns, _utc): ${columnAdvice(line)}`
        : `it is a table whose columns are not parted by commas: part them so, and name them as docs/how-to/recording.md says:\n${headers()}`,
  ],
  [/\uFFFD|[\u0000-\u0008]/, () => 'it is no text in UTF-8: write it as UTF-8'],
];

/** Fields by which messages of venues are known. */
const MESSAGE_FIELDS = ['stream', 'e', 'lastUpdateId', 'channel', 'topic'];
/** The same of a line that was cut, in the usual order of fields. */
const MESSAGE_BEGINNING = /^\{\s*"(?:stream|e|lastUpdateId|channel|topic)"\s*:/;

function headers(): string {
  return CSV_HEADERS.map((header) => `  ${header}`).join('\n');
}

/** Tardis names the levels of a book so, from 0 on. */
const LEVEL_FROM_ZERO = /(?:^|,)"?(?:ask|bid)s\[0\]\.(?:price|amount)/;

function columnAdvice(line: string): string {
  return LEVEL_FROM_ZERO.test(line)
    ? 'its columns are those of Tardis. Name timestamp exchange_time_us, local_timestamp received_time_us, asks[0].price ask_price_1, ' +
        `asks[0].amount ask_size_1 and so on, bids alike, and leave exchange and symbol out:\n${headers()}`
    : `name its columns so, as docs/how-to/recording.md says:\n${headers()}`;
}

/** What is to be done about a file whose first line is in no format, where that is known. */
export function adviceOn(firstLine: string): string | undefined {
  return adviceOnJson(parseObject(firstLine), firstLine) ?? NEARLY.find(([form]) => form.test(firstLine))?.[1](firstLine);
}

function adviceOnJson(json: Json | undefined, line: string): string | undefined {
  const exchange = json?.['t'] === 'header' ? json['exchange'] : undefined;
  if (typeof exchange === 'string')
    return (
      `it is a cryptofeed capture of ${exchange.slice(0, 40)}: of those only Bybit's are read; ` +
      'its books and trades as CSV can be labelled, see docs/how-to/recording.md'
    );
  return MESSAGE_BEGINNING.test(line) || MESSAGE_FIELDS.some((field) => json !== undefined && field in json)
    ? 'its lines begin with the message: each must begin with the receive time in nanoseconds and a space, as `market-state record` writes it'
    : undefined;
}
