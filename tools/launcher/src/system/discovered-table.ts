import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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

/** Refresh interval of the table. */
const REFRESH_MS = 3_600_000;

export interface DiscoveredTable {
  /** With `INSTRUMENTS_FILE`. */
  readonly settings: NodeJS.ProcessEnv;
  close(): void;
}

/**
 * Makes the instrument table of the venues' metadata if `SYMBOLS` selects from it (`all`, `top:50`, `!1000*`, a coin that
 * the bundled table lacks) and `INSTRUMENTS_FILE` is not set. Read again every hour; then what is listed or ended since
 * is reported in a line, because running processes keep their symbols.
 * @throws Error if the venues cannot be read and no earlier table exists
 */
export async function openDiscoveredTable(
  settings: NodeJS.ProcessEnv,
  dataDir: string,
  say: (line: string) => void,
): Promise<DiscoveredTable> {
  const feeds = feedsOf(settings);
  if (settings['INSTRUMENTS_FILE'] || !needsDiscovery(feeds, namedSymbols(settings))) return { settings, close: () => undefined };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(resolve(dataDir), 'instruments.json');
  const withTable = { ...settings, INSTRUMENTS_FILE: file };

  const read = (): Promise<Discovery> =>
    discoverInstruments({ feeds, ask: (venue, requests) => listingAnswers(restAddressOf(venue, settings), requests) });

  function write({ rows, leftOut }: Discovery): void {
    writeFileSync(`${file}.new`, instrumentTableText(rows));
    renameSync(`${file}.new`, file);
    say(`Instruments: ${rows.filter(({ feed }) => feeds.includes(feed)).length} listed, ${leftOut.length} left out; table in ${file}`);
  }

  function served(): readonly string[] {
    return readServedSettings(withTable, (path) => readFileSync(path, 'utf8')).served.map(({ symbol }) => symbol);
  }

  try {
    write(await read());
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    if (!existsSync(file))
      throw new Error(`SYMBOLS selects from what the venues list, but they cannot be read: ${cause}`, { cause: error });
    say(`The venues' instruments cannot be read (${cause}); using the table of an earlier start, ${file}.`);
  }
  const playing = served();

  async function refresh(): Promise<void> {
    write(await read());
    const now = served();
    const added = now.filter((symbol) => !playing.includes(symbol));
    const ended = playing.filter((symbol) => !now.includes(symbol));
    if (added.length > 0) say(`Selected since the start, served after a restart: ${added.join(', ')}`);
    if (ended.length > 0) say(`No longer selected, served until a restart: ${ended.join(', ')}`);
  }

  const timer = setInterval(() => {
    refresh().catch((error: unknown) =>
      say(`The venues' instruments cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    );
  }, REFRESH_MS);
  timer.unref();
  return { settings: withTable, close: () => clearInterval(timer) };
}
