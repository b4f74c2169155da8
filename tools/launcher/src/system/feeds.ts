import { readFileSync } from 'node:fs';
import { timeLimit } from '@market-state/lifecycle';
import { needsDiscovery, readServedSettings } from '@market-state/market-data';

const ANSWER_MS_MAX = 2_000;
const NAME_WIDTH = 22;

interface Round {
  readonly began_ms: number;
  readonly episodes: readonly { readonly from_ms: number; readonly name: string; readonly description: string }[];
}

/** Empty if the venue does not answer. */
export async function roundLines(venueAddress: string): Promise<string[]> {
  try {
    const answer = await fetch(`http://${venueAddress}/round`, { method: 'POST', signal: timeLimit(ANSWER_MS_MAX) });
    return answer.ok ? linesOf((await answer.json()) as Round) : [];
  } catch {
    return [];
  }
}

function linesOf({ began_ms: beganMs, episodes }: Round): string[] {
  if (episodes.length === 0) return [];
  return [
    'SIMUSD-PERP repeats a scripted round of 20 minutes of synthetic data. This round, in UTC:',
    ...episodes.map(
      ({ from_ms: fromMs, name, description }) =>
        `  ${new Date(beganMs + fromMs).toISOString().slice(11, 19)}  ${name.padEnd(NAME_WIDTH)}${description}`,
    ),
    'Packets cover three minutes, so they follow an episode by one to two minutes; for details see apps/simulated-venue/README.md.',
  ];
}

const defaultFeeds = ['recording', 'simulated'];

/** The processes reject unknown names. */
export function feedsOf({ FEED }: NodeJS.ProcessEnv): readonly string[] {
  const named = (FEED ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return named.length > 0 ? named : defaultFeeds;
}

export function feedLines(settings: NodeJS.ProcessEnv): string[] {
  const words: Readonly<Record<string, string>> = {
    recording: settings['FEED_FILE']
      ? 'recordings, looped and shifted to the current time: not the live market'
      : 'a real recording of Binance COIN-M, 8 and 9 August 2024, looped and shifted to the current time: not the live market',
    import: 'archives that market-state import writes, at their own times: not the live market',
    simulated: 'SIMUSD-PERP, a simulated market that plays a scripted round, marked synthetic in every response',
  };
  return feedsOf(settings).map((feed) => words[feed] ?? `live from ${feed.charAt(0).toUpperCase()}${feed.slice(1)}`);
}

export function playsDemo(settings: NodeJS.ProcessEnv): boolean {
  const named = namedSymbols(settings);
  return feedsOf(settings).includes('simulated') && (named.length === 0 || named.includes('SIMUSD-PERP'));
}

export function namedSymbols(settings: NodeJS.ProcessEnv): string[] {
  return (settings['SYMBOLS'] ?? '')
    .split(',')
    .map((symbol) => symbol.trim())
    .filter((symbol) => symbol !== '');
}

/** Faults of FEED, SYMBOLS and their files. Symbols of a table that is not made yet are not checked. */
export function feedFaults(settings: NodeJS.ProcessEnv): readonly string[] {
  const { FEED, FEED_FILE, INSTRUMENTS_FILE } = settings;
  const isTableToMake = !INSTRUMENTS_FILE && needsDiscovery(feedsOf(settings), namedSymbols(settings));
  const SYMBOLS = isTableToMake ? undefined : settings['SYMBOLS'];
  const { faults } = readServedSettings({ FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE }, (path) => readFileSync(path, 'utf8'));
  return faults.map(({ variable, message }) => `${variable}: ${message}`);
}

/** Symbols that the settings name; with a table of its own, `SYMBOLS` may select by volume or pattern. */
export function servedSymbols(settings: NodeJS.ProcessEnv): readonly string[] {
  const { FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE } = settings;
  const { served, faults } = readServedSettings({ FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE }, (path) => readFileSync(path, 'utf8'));
  return faults.length > 0 || !SYMBOLS ? namedSymbols(settings) : served.map(({ symbol }) => symbol);
}

export function exampleSymbols(settings: NodeJS.ProcessEnv): readonly [string, string] {
  const named = servedSymbols(settings);
  const played = feedsOf(settings).every((feed) => feed === 'simulated') ? ['SIMUSD-PERP'] : ['BTCUSD-PERP', 'ETHUSD-PERP'];
  const [first = '', second = first] = named.length > 0 ? named : played;
  return [first, second];
}
