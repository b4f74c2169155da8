import type { Fault } from '../feed/fault';
import type { ConditionsChange } from '../scenario/scenario';

/** A part of the demonstration: one thing that happens to a market or to its feed. */
export interface Episode {
  readonly name: string;
  /** What happens, in one plain sentence. */
  readonly description: string;
  /** Milliseconds, a multiple of 10,000. */
  readonly lengthMs: number;
  /** What differs from the ordinary market `atMs` milliseconds after the episode's start. */
  readonly conditions: (atMs: number) => ConditionsChange;
  /** Times from the episode's start. */
  readonly faults?: readonly Fault[];
}

/** An episode in its place in the loop. */
export interface PlacedEpisode extends Episode {
  /** Milliseconds from the start of the loop. */
  readonly fromMs: number;
}
