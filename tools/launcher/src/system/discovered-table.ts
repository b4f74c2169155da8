import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Closable, delay, repeatUntilClosed } from '@market-state/lifecycle';
import {
  type Discovery,
  discoverInstruments,
  instrumentTableText,
  needsDiscovery,
  readServedSettings,
  restAddressOf,
} from '@market-state/market-data';
import { listingAnswers } from '@market-state/venues';
import { feedsOf, namedSymbols } from './feeds';

export interface DiscoveredTable {
  /** With `INSTRUMENTS_FILE`. */
  readonly settings: NodeJS.ProcessEnv;
  /** Calls `serve` each time a later table selects other symbols, until closed. */
  follow(serve: () => Promise<void>): Closable;
}

/**
 * Makes the instrument table of the venues' metadata if `SYMBOLS` selects from it (`all`, `top:50`, `!1000*`, a coin that
 * the bundled table lacks) and `INSTRUMENTS_FILE` is not set. A table that the processes would reject is not written.
 * @throws Error if no table can be made and no earlier one exists
 */
export async function openDiscoveredTable(
  settings: NodeJS.ProcessEnv,
  dataDir: string,
  say: (line: string) => void,
  everyMs: number,
): Promise<DiscoveredTable> {
  const feeds = feedsOf(settings);
  if (settings['INSTRUMENTS_FILE'] || !needsDiscovery(feeds, namedSymbols(settings)))
    return { settings, follow: () => ({ close: () => Promise.resolve() }) };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(resolve(dataDir), 'instruments.json');
  const withTable = { ...settings, INSTRUMENTS_FILE: file };

  const read = (): Promise<Discovery> =>
    discoverInstruments({ feeds, ask: (venue, requests) => listingAnswers(restAddressOf(venue, settings), requests) });

  let reported = '';

  /** Skips a line that equals the previous one. */
  function report(line: string): void {
    if (line !== reported) say(line);
    reported = line;
  }

  /** @returns the symbols that it serves */
  function write({ rows, leftOut }: Discovery): readonly string[] {
    const text = instrumentTableText(rows);
    const { served, faults } = readServedSettings(withTable, () => text);
    if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('; '));
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    const listedTotal = rows.filter(({ feed }) => feeds.includes(feed)).length;
    report(`Instruments: ${listedTotal} listed, ${leftOut.length} left out; table in ${file}`);
    return symbolsOf(served);
  }

  let playing: readonly string[];
  try {
    playing = write(await read());
  } catch (error) {
    const cause = sentenceOf(error);
    if (!existsSync(file))
      throw new Error(`SYMBOLS selects from what the venues list, but no table can be made: ${cause}`, { cause: error });
    say(`No instrument table can be made (${cause}); using that of an earlier start, ${file}.`);
    playing = symbolsOf(readServedSettings(withTable, (path) => readFileSync(path, 'utf8')).served);
  }

  async function refresh(serve: () => Promise<void>): Promise<void> {
    const now = write(await read());
    const added = now.filter((symbol) => !playing.includes(symbol));
    const ended = playing.filter((symbol) => !now.includes(symbol));
    if (added.length === 0 && ended.length === 0) return;
    if (added.length > 0) say(`Listed and selected: ${added.join(', ')}`);
    if (ended.length > 0) say(`No longer listed or selected: ${ended.join(', ')}`);
    await serve();
    playing = now;
    say(`Serving ${now.length} symbols.`);
  }

  return {
    settings: withTable,
    follow: (serve) =>
      repeatUntilClosed(
        async (signal) => {
          await delay(everyMs, signal).catch(() => undefined);
          if (!signal.aborted) await refresh(serve);
        },
        {
          intervalMs: 0,
          onError: (error) => report(`The instruments are unchanged: ${sentenceOf(error)}`),
        },
      ),
  };
}

function symbolsOf(served: readonly { readonly symbol: string }[]): readonly string[] {
  return served.map(({ symbol }) => symbol);
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
