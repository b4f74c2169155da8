import { type EntryId, LOG_START } from '@market-state/event-log';

/** Published positions by consumer name. */
export type Positions = Readonly<Record<string, EntryId>>;

/**
 * The last entry that every consumer has committed: of those that have published a position, and of those expected, which
 * have committed nothing until they publish one. Undefined when there is nobody to wait for.
 */
export function slowestPosition(positions: Positions, expected: readonly string[]): EntryId | undefined {
  const waiting = expected.filter((consumer) => positions[consumer] === undefined).map(() => LOG_START);
  return [...waiting, ...Object.values(positions)].reduce<EntryId | undefined>(
    (slowest, id) => (slowest === undefined || id.ordinal < slowest.ordinal ? id : slowest),
    undefined,
  );
}

/** How many of the entries kept, the last of which is `lastOrdinal`, the slowest consumer has not committed. */
export function entriesAhead(lastOrdinal: number, firstKeptOrdinal: number, slowest: EntryId | undefined): number {
  if (slowest === undefined) return 0;
  return lastOrdinal - Math.max(slowest.ordinal, firstKeptOrdinal - 1);
}
