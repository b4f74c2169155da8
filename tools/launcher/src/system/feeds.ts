import { timeLimit } from '@market-state/lifecycle';

const ANSWER_MS_MAX = 2_000;
const NAME_WIDTH = 22;

/** The round of the simulated market as its venue says it. */
interface Round {
  /** Epoch milliseconds. */
  readonly began_ms: number;
  readonly episodes: readonly { readonly from_ms: number; readonly name: string; readonly description: string }[];
}

/** What the simulated market plays and when, in words for whoever started the system; none where its venue does not answer. */
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
    'SIMUSD-PERP plays a round of 20 minutes again and again, synthetic throughout. This round, in UTC:',
    ...episodes.map(
      ({ from_ms: fromMs, name, description }) =>
        `  ${new Date(beganMs + fromMs).toISOString().slice(11, 19)}  ${name.padEnd(NAME_WIDTH)}${description}`,
    ),
    'Packets read three minutes of it, so they follow an episode by one to two minutes: apps/simulated-venue/README.md says when.',
  ];
}

const defaultFeeds = ['recording', 'simulated'];

/** The feeds that `FEED` names; those that run when it names none. What is no feed is for the processes to refuse. */
export function feedsOf({ FEED }: NodeJS.ProcessEnv): readonly string[] {
  const named = (FEED ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return named.length > 0 ? named : defaultFeeds;
}

/** What each feed plays, in words for whoever started the system. */
export function feedLines(settings: NodeJS.ProcessEnv): string[] {
  const words: Readonly<Record<string, string>> = {
    recording: settings['FEED_FILE']
      ? 'recordings, looped and moved to now: not the live market'
      : 'a real recording of Binance COIN-M, 8 and 9 August 2024, looped and moved to now: not the live market',
    simulated: 'SIMUSD-PERP, a simulated market that plays a scripted round, marked synthetic in every response',
  };
  return feedsOf(settings).map((feed) => words[feed] ?? `live from ${feed.charAt(0).toUpperCase()}${feed.slice(1)}`);
}

/** Whether the simulated market is served. */
export function playsDemo(settings: NodeJS.ProcessEnv): boolean {
  const named = namedSymbols(settings);
  return feedsOf(settings).includes('simulated') && (named.length === 0 || named.includes('SIMUSD-PERP'));
}

function namedSymbols(settings: NodeJS.ProcessEnv): string[] {
  return (settings['SYMBOLS'] ?? '')
    .split(',')
    .map((symbol) => symbol.trim())
    .filter((symbol) => symbol !== '');
}

/** Two symbols to try the system with; one, when there is only one. */
export function exampleSymbols(settings: NodeJS.ProcessEnv): readonly [string, string] {
  const named = namedSymbols(settings);
  const played = feedsOf(settings).every((feed) => feed === 'simulated') ? ['SIMUSD-PERP'] : ['BTCUSD-PERP', 'ETHUSD-PERP'];
  const [first = '', second = first] = named.length > 0 ? named : played;
  return [first, second];
}
