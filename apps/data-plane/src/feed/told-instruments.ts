import type { PlayedInstrument, ServedInstrument } from '@market-state/market-data';
import type { ToldInstrument } from '../store/feed-state';

/** What the feed tells of the instruments that it plays: a recording's facts are those of its files. */
export function toldInstruments(served: readonly ServedInstrument[], recorded: readonly PlayedInstrument[]): ToldInstrument[] {
  return served.flatMap(({ symbol, feed, row }) => {
    const instrument = feed === 'recording' ? recorded.find((each) => each.symbol === symbol) : row;
    if (instrument === undefined) return [];
    const { venue, venueInstrument, contractValue } = instrument;
    return [
      {
        symbol,
        feed,
        venue,
        venueInstrument,
        contractValue,
        sourceKind: venue === 'simulated' ? 'simulated' : feed === 'recording' ? 'recorded' : 'live',
      },
    ];
  });
}
