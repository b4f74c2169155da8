import type { Channel, SourceKind } from '@market-state/market-data';

/** Venue properties of a symbol's reads. */
export interface ReadVenue {
  /** Lower case; empty until known. */
  readonly venue: string;
  /** Undefined until the feed has reported it. */
  readonly sourceKind: SourceKind | undefined;
  /** Channels that the venue reports. */
  readonly channels: readonly Channel[];
  /** Quote currency value of one contract; undefined if quantities are in base units. */
  readonly contractValue: string | undefined;
  /** Time after an interval's end until it counts as closed, in milliseconds. */
  readonly closingLagMs: number;
  /** Age at which a channel is stale; 0 if it may be silent for any time. */
  stalenessMs(channel: Channel): number;
}
