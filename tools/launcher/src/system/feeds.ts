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
