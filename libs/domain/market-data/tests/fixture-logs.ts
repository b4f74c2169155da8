import { type MarketEvent, rowLine } from '../src/index';
import { inShort } from './messages';

/** Ticks are the same in every format. */
export function withoutTicks(events: readonly MarketEvent[]): string[] {
  return inShort(events).filter((entry) => !entry.startsWith('tick'));
}

export function rowsOf(events: readonly MarketEvent[], kind: MarketEvent['kind']): Record<string, unknown>[] {
  return events.filter((event) => event.kind === kind).map((event) => JSON.parse(rowLine(event)) as Record<string, unknown>);
}

export function ticksOf(events: readonly MarketEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs - 1_700_000_000_000] : []));
}
