import type { CompositeName, StateName } from '../read';

export interface PacketTrace {
  readonly windowEndMs: number;
  readonly winner: StateName;
  readonly state: StateName;
  /** Not rounded; null without a book. */
  readonly mid: number | null;
  readonly bookTsMs: number | null;
  readonly fresh: boolean;
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
