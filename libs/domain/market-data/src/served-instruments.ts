import type { FeedName, InstrumentRow } from './played-instrument';

/** A symbol that is served, and by which feed. */
export interface ServedInstrument {
  readonly symbol: string;
  readonly feed: FeedName;
  /** Its row of the instrument table; absent for a recording whose facts are in its files alone. */
  readonly row?: InstrumentRow;
}

/** What can't be served as asked. */
export interface ServedFault {
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

export interface ServedChoice {
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
