import type { CompositeName, StateName } from '../read';

/** Values of a packet that later packets and the lanes read. */
export interface PacketTrace {
  readonly windowEndMs: number;
  readonly winner: StateName;
  /** Published state. */
  readonly state: StateName;
  /** Not rounded; null without a book. */
  readonly mid: number | null;
  /** Exchange time of the book used; null without one. */
  readonly bookTsMs: number | null;
  /** The book was within its staleness limit. */
  readonly fresh: boolean;
  /** Signed p and f. */
  readonly pressure: number;
  readonly flow: number;
  /** 0 for composites that could not be read. */
  readonly scores: Readonly<Record<CompositeName, number>>;
  readonly available: Readonly<Record<CompositeName, boolean>>;
  readonly spreadBps: number | null;
  readonly severity: number;
  readonly confidence: number;
  readonly volatilityShort: number | null;
  readonly volatilitySession: number | null;
}
