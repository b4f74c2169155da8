import type { CompositeName, StateName } from '../read';

/** What later packets and the lanes remember of a packet. */
export interface PacketTrace {
  readonly windowEndMs: number;
  readonly winner: StateName;
  /** Published state. */
  readonly state: StateName;
  /** Not rounded; null without a book. */
  readonly mid: number | null;
  /** Exchange time of the book used; null without one. */
  readonly bookTsMs: number | null;
  /** The book was inside its staleness limit. */
  readonly fresh: boolean;
  /** Signed p and f. */
  readonly pressure: number;
  readonly flow: number;
  /** What cannot be read counts 0 here. */
  readonly scores: Readonly<Record<CompositeName, number>>;
  /** Which composites could be read. */
  readonly available: Readonly<Record<CompositeName, boolean>>;
  readonly spreadBps: number | null;
  readonly severity: number;
  readonly confidence: number;
  readonly volatilityShort: number | null;
  readonly volatilitySession: number | null;
}
