import type { Channel, SourceKind } from '@market-state/market-data';

export interface ReadVenue {
  /** Lower case; empty until known. */
  readonly venue: string;
  /** Undefined until the feed has reported it. */
  readonly sourceKind: SourceKind | undefined;
  readonly channels: readonly Channel[];
  /** Quote currency; undefined if quantities are in base units. */
  readonly contractValue: string | undefined;
  /** Delay until an ended interval counts as closed. */
  readonly closingLagMs: number;
  /** 0 if the channel may be silent for any time. */
  stalenessMs(channel: Channel): number;
}
