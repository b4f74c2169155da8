import type { Channel, SourceKind } from '@market-state/market-data';

/** What the reads of a symbol say of its venue. */
export interface ReadVenue {
  /** Lower case; empty until it is known. */
  readonly venue: string;
  /** Undefined until the feed has told. */
  readonly sourceKind: SourceKind | undefined;
  /** Channels that the venue reports. */
  readonly channels: readonly Channel[];
  /** Quote currency value of one contract; undefined where quantities are in base units. */
  readonly contractValue: string | undefined;
  /** Time after which an interval that has ended counts as closed, milliseconds. */
  readonly closingLagMs: number;
  /** Age at which a channel is stale; 0: it has no such age, it may be silent for long. */
  stalenessMs(channel: Channel): number;
}
