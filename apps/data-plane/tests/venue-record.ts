import { isDeepStrictEqual } from 'node:util';
import { silentLogger } from '@market-state/logging';
import { instrumentRows, LivePlayer, type MarketEvent, urlsBelow, venueOf } from '@market-state/market-data';
import { createVenueSource, runConnection } from '@market-state/venues';

type MarketKind = 'book' | 'trade' | 'context' | 'liquidation';

/** Events from an undisturbed connection to the simulated venue, made as a feed makes them. */
interface VenueRecord {
  events(): readonly MarketEvent[];
  close(): Promise<void>;
}

export function recordVenue(symbol: string, address: string): VenueRecord {
  const row = instrumentRows.find((each) => each.symbol === symbol && each.feed === 'simulated');
  const venue = venueOf('simulated');
  if (row === undefined || venue === undefined) throw new Error(`no simulated ${symbol}`);
  const logger = silentLogger();
  const stop = new AbortController();
  const player = new LivePlayer(row, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: Date.now() });
  const events: MarketEvent[] = [];
  const source = createVenueSource('simulated', { ...urlsBelow(venue, `http://${address}`), logger, clock: { nowMs: () => Date.now() } });
  const running = (async () => {
    for await (const event of runConnection({
      source,
      instruments: [row.venueInstrument],
      signal: stop.signal,
      logger,
      random: Math.random,
    })) {
      if (event.type === 'connected') player.connected(Date.now());
      if (event.type === 'disconnected') throw new Error(`the record was disturbed: ${event.reason}`);
      if (event.type !== 'messages') continue;
      for (const { receivedMs, receivedNs, text } of event.batch.messages) player.accept(receivedMs, `${receivedNs} ${text}`);
      events.push(...player.take().map((placed) => placed.event));
    }
  })();
  return {
    events: () => events,
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Content without log position and times of logging. */
function said(event: MarketEvent): unknown {
  switch (event.kind) {
    case 'book':
      return [event.venueId, event.exchangeTsMs, event.bids, event.asks];
    case 'trade':
      return [event.venueId, event.exchangeTsMs, event.price, event.size, event.aggressorSide];
    case 'liquidation':
      return [event.venueId, event.exchangeTsMs, event.price, event.size, event.positionSide];
    case 'context':
      return [
        [event.venueId, event.markPrice, event.oraclePrice, event.midPrice],
        [event.openInterest, event.dayVolume, event.fundingRate],
      ];
    default:
      return undefined;
  }
}

/**
 * One sentence per kind of entry that differs: each must be a contiguous, ordered run of the record.
 * @param from first ordinal to compare: a new connection has a shorter backlog
 */
export function differences(log: readonly MarketEvent[], record: readonly MarketEvent[], from: number): string[] {
  const kinds: readonly MarketKind[] = ['book', 'trade', 'context', 'liquidation'];
  return kinds.flatMap((kind) => {
    const logged = log.filter((event) => event.kind === kind && event.ordinal >= from).map(said);
    const recorded = record.filter((event) => event.kind === kind).map(said);
    const starts = recorded.flatMap((each, index) => (isDeepStrictEqual(each, logged[0]) ? [index] : []));
    if (logged.length === 0) return kind === 'book' || kind === 'trade' ? [`no ${kind} was logged`] : [];
    const matched = starts.map((start) => logged.findIndex((each, index) => !isDeepStrictEqual(each, recorded[start + index])));
    if (matched.includes(-1)) return [];
    const at = Math.max(...matched, 0);
    const expected = starts.length === 0 ? undefined : recorded[(starts[0] ?? 0) + at];
    return [`${kind} ${at} of ${logged.length} is ${JSON.stringify(logged[at])}, not ${JSON.stringify(expected)}`.slice(0, 400)];
  });
}
