import { crockford, fromHex, sha256Hex } from '@market-state/market-data';

/** What can go wrong so that it is told. */
export const INCIDENT_KINDS = ['feed_silent', 'packets_late', 'gap', 'reads_failing', 'audit_differs'] as const;

export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/** A span in which something was not as it should be. */
export interface Incident {
  /** Of its kind, its beginning and what it is of: the same each time it is worked out. */
  readonly incidentId: string;
  readonly kind: IncidentKind;
  readonly openedMs: number;
  /** Null while it lasts. */
  readonly closedMs: number | null;
  /** Empty: it is of the service, whatever the symbol. */
  readonly symbols: readonly string[];
  /** Entries of the gap ledger that it is made of. */
  readonly gapIds: readonly string[];
  /** What happened, in a sentence or two. */
  readonly sentence: string;
}

/** An incident as far as it is known before it has its id. `of`: what tells apart incidents of one kind that open at one instant. */
interface Finding extends Omit<Incident, 'incidentId'> {
  readonly of: string;
}

const ID_CHARACTERS = 26;

/** `inc_` and the first 26 characters (Crockford base32, lower case) of the SHA-256 of kind, beginning and `of` as a JSON array. */
export function incidentOf({ of, ...finding }: Finding): Incident {
  const digest = sha256Hex(JSON.stringify([finding.kind, finding.openedMs, of]));
  return { incidentId: `inc_${crockford(fromHex(digest), ID_CHARACTERS)}`, ...finding };
}

/** A place in the order of incidents. */
type IncidentPlace = Pick<Incident, 'openedMs' | 'incidentId'>;

/** Part of the incidents that overlap a span. */
export interface IncidentsWanted {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: of any. Incidents of no symbol are of every one. */
  readonly symbol: string | null;
  /** Null: of any. */
  readonly kind: string | null;
  /** The page begins behind it; null: with the newest. */
  readonly after: IncidentPlace | null;
  readonly size: number;
}

/** A page of incidents: the newest first, by their beginning, then by their id. */
export function incidentPage(incidents: readonly Incident[], wanted: IncidentsWanted): Incident[] {
  const { fromMs, toMs, symbol, kind, after, size } = wanted;
  return incidents
    .filter(({ openedMs, closedMs }) => openedMs < toMs && (closedMs === null || closedMs > fromMs))
    .filter((incident) => symbol === null || incident.symbols.length === 0 || incident.symbols.includes(symbol))
    .filter((incident) => kind === null || incident.kind === kind)
    .filter((incident) => after === null || inIncidentOrder(after, incident) < 0)
    .toSorted(inIncidentOrder)
    .slice(0, size);
}

/** The newest first, by their beginning, then by their id: for `toSorted`. */
export function inIncidentOrder(one: IncidentPlace, other: IncidentPlace): number {
  if (one.openedMs !== other.openedMs) return other.openedMs - one.openedMs;
  return one.incidentId < other.incidentId ? 1 : one.incidentId > other.incidentId ? -1 : 0;
}

/** A length of time in whole units, the two greatest: `1 h 5 min`, `45 s`. */
export function lengthWords(lengthMs: number): string {
  const seconds = Math.round(lengthMs / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `It lasted 5 min.` of what is over; of what goes on, that it does: how long is known only when it is read. */
export function lastedSentence(openedMs: number, closedMs: number | null): string {
  return closedMs === null ? 'It goes on.' : `It lasted ${lengthWords(closedMs - openedMs)}.`;
}

/** Names in a list: `A`, `A and B`, `A, B and C`. */
export function listWords(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
