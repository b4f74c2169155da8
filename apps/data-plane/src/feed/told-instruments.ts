import type { ServedInstrument, Instrument } from '@market-state/market-data';
import type { ToldInstrument } from './feed-state-store';

/** What the feed tells of the instruments that it plays: a recording's facts are those of its files. */
export function toldInstruments(served: readonly ServedInstrument[], recordings: readonly { readonly instrument: Instrument }[]): ToldInstrument[] {
  return served.flatMap(({ symbol, feed, row }) => {
    const instrument = feed === 'recording' ? recordings.find((recording) => recording.instrument.symbol === symbol)?.instrument : row;
    if (instrument === undefined) return [];
    const { venue, venueInstrument, contractValue } = instrument;
    return [{ symbol, feed, venue, venueInstrument, contractValue, sourceKind: feed === 'recording' ? 'recorded' : feed === 'simulated' ? 'simulated' : 'live' }];
  });
}
