import type { MarketEvent } from '@market-state/market-data';

/** Entries that may be reordered; ticks and feed status stay in place. */
export function isData(event: MarketEvent): boolean {
  return event.kind !== 'tick' && event.kind !== 'feed_status';
}

/** The same entries with consecutive ordinals. */
export function renumberFrom(events: readonly MarketEvent[], firstOrdinal: number): MarketEvent[] {
  return events.map((event, index) => ({ ...event, ordinal: firstOrdinal + index }));
}

/** Seeded reordering of the data between control entries. */
export function shuffleWithin(events: readonly MarketEvent[], seed: number): MarketEvent[] {
  let random = seed >>> 0;
  const next = (): number => (random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0);
  const result: MarketEvent[] = [];
  let block: MarketEvent[] = [];
  const flush = (): void => {
    for (let index = block.length - 1; index > 0; index--) {
      const other = next() % (index + 1);
      const held = block[index] as MarketEvent;
      block[index] = block[other] as MarketEvent;
      block[other] = held;
    }
    result.push(...block);
    block = [];
  };
  for (const event of events) {
    if (isData(event)) block.push(event);
    else {
      flush();
      result.push(event);
    }
  }
  flush();
  return result;
}
