import { FEED_NAMES, InstrumentTableError, parseInstrumentRows } from './instrument-rows';
import { instrumentRows } from './instruments';
import type { FeedName, InstrumentRow } from './played-instrument';
import { bundledFiles, type FilesBySymbol, parseFeedFile } from './recording-files';
import { type ServedInstrument, servedInstruments, ServedInstrumentsError } from './served-instruments';

/** The variables that say what is served; the same for every process. */
export interface ServedVariables {
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
export interface ServedSettings {
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
