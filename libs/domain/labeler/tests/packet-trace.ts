import type { PacketTrace } from '../src/label/lane-reads';
import { COMPOSITES, type CompositeName } from '../src/names';

export function ofComposites<T>(value: T): Readonly<Record<CompositeName, T>> {
  return Object.fromEntries(COMPOSITES.map((name) => [name, value])) as Record<CompositeName, T>;
}

/** Trace of a quiet `depth_watch` packet; scores default to 0. */
export function packetTrace(
  windowEndMs: number,
  fields: Omit<Partial<PacketTrace>, 'scores'> & { scores?: Partial<Record<CompositeName, number>> } = {},
): PacketTrace {
  return {
    windowEndMs,
    winner: 'depth_watch',
    state: 'depth_watch',
    mid: 100,
    bookTsMs: windowEndMs,
    fresh: true,
    pressure: 0,
    flow: 0,
    available: ofComposites(true),
    spreadBps: 1,
    severity: 0,
    confidence: 0.5,
    volatilityShort: null,
    volatilitySession: null,
    ...fields,
    scores: { ...ofComposites(0), ...fields.scores },
  };
}
