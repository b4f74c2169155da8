import type { DataHealthWatch } from '../../clients/data-health';
import { type ServedSymbol, sharedVenue } from '../../clients/market-data-client';
import type { AnswerSource } from './data-answer';

/** What an answer about every symbol says of itself: as fresh as the feed, by the data plane's own word. */
export function serviceSource(
  symbols: readonly Pick<ServedSymbol, 'venue' | 'kind'>[],
  dataHealth: Pick<DataHealthWatch, 'current'>,
  asOfMs: number,
): AnswerSource {
  const { reachable, down } = dataHealth.current();
  const runs = reachable && !down.includes('feed');
  return {
    symbol: 'ALL',
    venue: sharedVenue(symbols),
    asOfMs,
    kinds: symbols.map(({ kind }) => kind),
    state: runs ? 'fresh' : 'stale',
    detail: runs ? 'The feed runs.' : reachable ? 'The feed does not run.' : 'The data plane cannot be reached.',
    stored: true,
  };
}
