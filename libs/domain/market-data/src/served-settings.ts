import { FEED_NAMES, InstrumentTableError, parseInstrumentRows, SYMBOL_FORM, instrumentRows } from './instrument-rows';
import type { FeedName, InstrumentRow } from './played-instrument';

/** A symbol that is served, and by which feed. */
export interface ServedInstrument {
  readonly symbol: string;
  readonly feed: FeedName;
  /** Its row of the instrument table; absent for a recording whose facts are in its files alone. */
  readonly row?: InstrumentRow;
}

/** What can't be served as asked. */
interface ServedFault {
  /** `SYMBOLS`: an unknown one, or none. `FEED`: two feeds play one symbol. */
  readonly variable: 'SYMBOLS' | 'FEED';
  readonly message: string;
}

/** Symbols that can't be served as asked; `faults` names every one. */
export class ServedInstrumentsError extends Error {
  override readonly name = 'ServedInstrumentsError';

  constructor(readonly faults: readonly ServedFault[]) {
    super(faults.map(({ message }) => message).join('; '));
  }
}

interface ServedChoice {
  /** The feeds that run. */
  readonly feeds: readonly FeedName[];
  /** Symbols to serve; absent: all that the feeds play. */
  readonly symbols?: readonly string[];
  /** Symbols that there are recordings of. A row of the feed `recording` without one is not played. */
  readonly recordingSymbols: readonly string[];
  /** The instrument table. */
  readonly rows: readonly InstrumentRow[];
}

/**
 * The symbols served, in the order of the feeds and of their rows. Every process derives them here, from the same settings.
 * @throws ServedInstrumentsError naming the symbols that are known, or those that two feeds would play
 */
export function servedInstruments(choice: ServedChoice): readonly ServedInstrument[] {
  const known = [...new Set(choice.feeds)].flatMap((feed) => playedBy(feed, choice));
  const symbols = choice.symbols ?? known.map(({ symbol }) => symbol);
  const served = known.filter(({ symbol }) => symbols.includes(symbol));
  const unknown = [...new Set(symbols)].filter((symbol) => !served.some((each) => each.symbol === symbol));
  const faults = [
    ...unknownFault(unknown, known),
    ...(served.length === 0 && unknown.length === 0 ? [{ variable: 'SYMBOLS', message: 'no symbol is served' } as const] : []),
    ...repeatedFaults(served),
  ];
  if (faults.length > 0) throw new ServedInstrumentsError(faults);
  return served;
}

function playedBy(feed: FeedName, { rows, recordingSymbols }: ServedChoice): ServedInstrument[] {
  const own = rows.filter((row) => row.feed === feed);
  if (feed !== 'recording') return own.map((row) => ({ symbol: row.symbol, feed, row }));
  const recorded = own.filter(({ symbol }) => recordingSymbols.includes(symbol));
  const others = [...new Set(recordingSymbols)].filter((symbol) => !own.some((row) => row.symbol === symbol));
  return [...recorded.map((row) => ({ symbol: row.symbol, feed, row })), ...others.map((symbol) => ({ symbol, feed }))];
}

function unknownFault(unknown: readonly string[], known: readonly ServedInstrument[]): ServedFault[] {
  if (unknown.length === 0) return [];
  const names = known.map(({ symbol }) => symbol).join(', ') || 'none';
  return [{ variable: 'SYMBOLS', message: `unknown symbol: ${unknown.join(', ')}; known: ${names}` }];
}

function repeatedFaults(served: readonly ServedInstrument[]): ServedFault[] {
  return served.flatMap(({ symbol, feed }, index) => {
    const first = served.findIndex((other) => other.symbol === symbol);
    if (first === index) return [];
    return [
      {
        variable: 'FEED' as const,
        message: `${symbol} is played by ${served[first]?.feed} and by ${feed}: leave one of the feeds out, or the symbol by SYMBOLS`,
      },
    ];
  });
}

/** Files of recordings, in the order in which they are played, by symbol. */
export type FilesBySymbol = Readonly<Record<string, readonly string[]>>;

/** Names of the files that come with the product, in the folder `recordings/binance-coinm`, in order. */
export const bundledFiles: FilesBySymbol = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/**
 * Reads `SYMBOL=path[,path2];SYMBOL2=...`.
 * @returns what can be read of it, and a sentence for each part that can't
 */
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
    else if (!SYMBOL_FORM.test(symbol)) faults.push(`${JSON.stringify(symbol)} is no symbol: <BASE>USD-PERP`);
    else if (files[symbol] !== undefined) faults.push(`${symbol} is given twice`);
    else files[symbol] = paths;
  }
  if (Object.keys(files).length === 0 && faults.length === 0) faults.push('names no recording');
  return { files, faults };
}

/** The variables that say what is served; the same for every process. */
interface ServedVariables {
  /** Comma list of feeds; `recording,simulated` by default. */
  readonly FEED?: string;
  /** Comma list; every symbol of the feeds by default. */
  readonly SYMBOLS?: string;
  /** `SYMBOL=path[,path2];SYMBOL2=…`: recordings beside, or instead of, the bundled ones. */
  readonly FEED_FILE?: string;
  /** Path of the instrument table to use instead of the bundled one. */
  readonly INSTRUMENTS_FILE?: string;
}

/** What those variables say. */
interface ServedSettings {
  readonly served: readonly ServedInstrument[];
  readonly rows: readonly InstrumentRow[];
  /** What `FEED_FILE` names. */
  readonly files: FilesBySymbol;
  /** By variable. When there are any, the rest says what could be read. */
  readonly faults: readonly { readonly variable: keyof ServedVariables; readonly message: string }[];
}

const DEFAULT_FEEDS: readonly FeedName[] = ['recording', 'simulated'];

/**
 * Reads them; an empty variable counts as absent.
 * @param readText gives a file's text; what it throws is told as a fault of INSTRUMENTS_FILE
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
  const feeds = named.length > 0 ? FEED_NAMES.filter((name) => named.includes(name)) : DEFAULT_FEEDS;
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
