import { readMarket } from '@market-state/market-data';
import type { ReportedInstrument } from '../store/feed-state';

type MarketVenue = Pick<ReportedInstrument, 'symbol' | 'feed' | 'venue'>;

/**
 * Sentences on two feeds that play one market, and on markets that would continue the log of another venue, because the
 * order of the feeds has changed since the last start. The only venue of a symbol may change, if the symbol was never
 * recorded at the new one before.
 */
export function marketFaults(stored: readonly MarketVenue[], played: readonly MarketVenue[]): string[] {
  const before = new Map(stored.map((each) => [each.symbol, each]));
  const symbols = new Set(played.map(({ symbol: market }) => readMarket(market).symbol));
  return [...symbols].flatMap((symbol) => {
    const [was, is] = [before.get(symbol), played.find((each) => each.symbol === symbol)];
    const others = played.filter(({ symbol: market }) => market !== symbol && readMarket(market).symbol === symbol);
    const twice = others.find(({ venue }) => venue === is?.venue);
    if (twice !== undefined) return [`${symbol} of ${twice.venue} is played by both ${is?.feed} and ${twice.feed}`];
    if (was === undefined) return [];
    const swapped = others.find(({ venue }) => venue === was.venue);
    const next = is !== undefined && is.venue !== was.venue && before.has(`${symbol}@${is.venue}`) ? is : swapped;
    if (next === undefined) return [];
    return [
      `the primary venue of ${symbol} is ${was.venue}, whose log ${is?.venue ?? 'another venue'} would continue: name the feed ${was.feed} before the others again`,
    ];
  });
}
