import { chooseSymbols } from './listing/choose-symbols';
import { MARKET_FORM, marketOf, SYMBOL_FORM } from './market';
import { FEED_NAMES, InstrumentTableError, parseInstrumentRows, instrumentRows } from './instrument-rows';
import { type FeedName, IMPORT, type InstrumentRow } from './played-instrument';

export interface ServedInstrument {
  /** Key of its market, as of `marketOf`; the row has it too. */
  readonly symbol: string;
  readonly feed: FeedName;
  /** Instrument table row; absent for a recording described only by its files, and for imports. */
  readonly row?: InstrumentRow;
}

interface ServedFault {
  /** `SYMBOLS`: unknown or empty. `FEED`: two feeds play one symbol of one venue. */
  readonly variable: 'SYMBOLS' | 'FEED';
  readonly message: string;
}

/** `faults` lists every problem. */
export class ServedInstrumentsError extends Error {
  override readonly name = 'ServedInstrumentsError';

  constructor(readonly faults: readonly ServedFault[]) {
    super(faults.map(({ message }) => message).join('; '));
  }
}

interface ServedChoice {
  readonly feeds: readonly FeedName[];
  /** Words as of `chooseSymbols`; default: all. */
  readonly symbols?: readonly string[];
  /** Symbols with recordings; other `recording` rows are not played. */
  readonly recordingSymbols: readonly string[];
  readonly rows: readonly InstrumentRow[];
}

/**
 * Served markets in feed and row order. Every process derives them here from the same settings. The first served market of
 * a symbol is at its primary venue.
 * @throws ServedInstrumentsError listing the known symbols, or the markets that two feeds would play
 */
export function servedInstruments(choice: ServedChoice): readonly ServedInstrument[] {
  const played = [...new Set(choice.feeds)].flatMap((feed) => playedBy(feed, choice));
  const known = choice.feeds.includes(IMPORT) ? [...played, ...imported(choice.symbols ?? [], played)] : played;
  const { chosen: served, faults: unclear } = chooseSymbols(choice.symbols ?? ['all'], known);
  const faults: ServedFault[] = [
    ...unclear.map((message) => ({ variable: 'SYMBOLS', message }) as const),
    ...(served.length === 0 && unclear.length === 0 ? [{ variable: 'SYMBOLS', message: 'no symbol is served' } as const] : []),
    ...repeatedFaults(served),
  ];
  const markets = served.map((each) => atMarket(each, served));
  for (const { symbol } of markets) {
    if (MARKET_FORM.test(symbol)) continue;
    const message = `${symbol} would be a secondary venue, whose name may have only lower-case letters, digits and hyphens`;
    faults.push({ variable: 'FEED', message });
  }
  if (faults.length > 0) throw new ServedInstrumentsError(faults);
  return markets;
}

function atMarket(each: ServedInstrument, served: readonly ServedInstrument[]): ServedInstrument {
  const first = served.find(({ symbol }) => symbol === each.symbol);
  if (each.row === undefined || first === undefined || first === each) return each;
  const symbol = marketOf(each.symbol, each.row.venue, first.row?.venue ?? '');
  return { ...each, symbol, row: { ...each.row, symbol } };
}

/** Named in full, and played by no other feed. */
function imported(words: readonly string[], played: readonly ServedInstrument[]): ServedInstrument[] {
  const named = new Set(words.filter((word) => SYMBOL_FORM.test(word)));
  for (const { symbol } of played) named.delete(symbol);
  return [...named].map((symbol) => ({ symbol, feed: IMPORT }));
}

function playedBy(feed: FeedName, { rows, recordingSymbols }: ServedChoice): ServedInstrument[] {
  const own = rows.filter((row) => row.feed === feed);
  if (feed !== 'recording') return own.map((row) => ({ symbol: row.symbol, feed, row }));
  const recorded = own.filter(({ symbol }) => recordingSymbols.includes(symbol));
  const others = [...new Set(recordingSymbols)].filter((symbol) => !own.some((row) => row.symbol === symbol));
  return [...recorded.map((row) => ({ symbol: row.symbol, feed, row })), ...others.map((symbol) => ({ symbol, feed }))];
}

function repeatedFaults(served: readonly ServedInstrument[]): ServedFault[] {
  return served.flatMap(({ symbol, feed, row }, index) => {
    const before = served.slice(0, index).filter((other) => other.symbol === symbol);
    const same = before.find((other) => other.row === undefined || row === undefined || other.row.venue === row.venue);
    if (same === undefined) return [];
    const message =
      same.row === undefined || row === undefined
        ? `${symbol} is played by both ${same.feed} and ${feed}, and the instrument table has no venue of ${row === undefined ? feed : same.feed}: add its row, or exclude the symbol with SYMBOLS`
        : `${symbol} of ${row.venue} is played by both ${same.feed} and ${feed}: remove one of the feeds, or exclude the symbol with SYMBOLS`;
    return [{ variable: 'FEED' as const, message }];
  });
}

export type FilesBySymbol = Readonly<Record<string, readonly string[]>>;

export const bundledFiles: FilesBySymbol = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/** Also returns a sentence for each invalid part. */
function parseFeedFile(text: string): { readonly files: FilesBySymbol; readonly faults: readonly string[] } {
  const files: Record<string, readonly string[]> = {};
  const faults: string[] = [];
  for (const part of text.split(';').filter((each) => each.trim() !== '')) {
    const [symbol = '', list = '', ...more] = part.split('=').map((each) => each.trim());
    const paths = [list, ...more]
      .join('=')
      .split(',')
      .map((path) => path.trim());
    if (symbol === '' || paths.includes('')) faults.push(`${JSON.stringify(part)} is not SYMBOL=path[,path]`);
    else if (!SYMBOL_FORM.test(symbol)) faults.push(`${JSON.stringify(symbol)} is not a symbol: use <BASE>USD-PERP`);
    else if (files[symbol] !== undefined) faults.push(`${symbol} is given twice`);
    else files[symbol] = paths;
  }
  if (Object.keys(files).length === 0 && faults.length === 0) faults.push('names no recording');
  return { files, faults };
}

interface ServedVariables {
  /** Comma-separated; default `recording,simulated`. The first one that has a symbol has its primary venue. */
  readonly FEED?: string;
  /** Comma-separated words as of `chooseSymbols`; default: all. */
  readonly SYMBOLS?: string;
  /** `SYMBOL=path[,path2];SYMBOL2=…`: adds to or replaces the bundled recordings. */
  readonly FEED_FILE?: string;
  readonly INSTRUMENTS_FILE?: string;
}

interface ServedSettings {
  readonly served: readonly ServedInstrument[];
  readonly rows: readonly InstrumentRow[];
  readonly files: FilesBySymbol;
  /** If not empty, the other fields contain only what could be parsed. */
  readonly faults: readonly { readonly variable: keyof ServedVariables; readonly message: string }[];
}

const DEFAULT_FEEDS: readonly FeedName[] = ['recording', 'simulated'];

/**
 * Empty variables count as absent.
 * @param readText reads a file; its errors become faults of INSTRUMENTS_FILE
 */
export function readServedSettings(variables: ServedVariables, readText: (path: string) => string): ServedSettings {
  const faults: { variable: keyof ServedVariables; message: string }[] = [];
  const attempt = <T>(fallback: T, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof InstrumentTableError) error.faults.forEach((message) => faults.push({ variable: 'INSTRUMENTS_FILE', message }));
      else if (error instanceof ServedInstrumentsError) faults.push(...error.faults);
      else throw error;
      return fallback;
    }
  };
  const rows = attempt(instrumentRows, () =>
    variables.INSTRUMENTS_FILE ? parseInstrumentRows(textOf(variables.INSTRUMENTS_FILE, readText)) : instrumentRows,
  );
  const named = wordsOf(variables.FEED);
  const strange = named.filter((name) => !FEED_NAMES.includes(name));
  if (strange.length > 0)
    faults.push({ variable: 'FEED', message: `unknown feed: ${strange.join(', ')}; known: ${FEED_NAMES.join(', ')}` });
  const { files, faults: fileFaults } = variables.FEED_FILE ? parseFeedFile(variables.FEED_FILE) : { files: {}, faults: [] };
  fileFaults.forEach((message) => faults.push({ variable: 'FEED_FILE', message }));
  const feeds = named.length > 0 ? named : DEFAULT_FEEDS;
  const recordingSymbols = [...new Set([...Object.keys(bundledFiles), ...Object.keys(files)])];
  const symbols = variables.SYMBOLS ? wordsOf(variables.SYMBOLS) : undefined;
  const served = attempt<readonly ServedInstrument[]>([], () =>
    strange.length > 0 ? [] : servedInstruments({ feeds, symbols, recordingSymbols, rows }),
  );
  return { served, rows, files, faults };
}

function textOf(path: string, readText: (path: string) => string): string {
  try {
    return readText(path);
  } catch {
    throw new InstrumentTableError([`${path} cannot be read`]);
  }
}

function wordsOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
