import { crockford, fromHex, lossOf, sha256Hex } from '@market-state/market-data';

export const INCIDENT_KINDS = ['feed_silent', 'packets_late', 'gap', 'reads_failing', 'audit_differs'] as const;

export type IncidentKind = (typeof INCIDENT_KINDS)[number];

export interface Incident {
  /** Deterministic: derived from kind, opening time and subject. */
  readonly incidentId: string;
  readonly kind: IncidentKind;
  readonly openedMs: number;
  /** Null while open. */
  readonly closedMs: number | null;
  /** Empty if it affects the whole service. */
  readonly symbols: readonly string[];
  /** Gap ledger entries behind the incident. */
  readonly gapIds: readonly string[];
  readonly sentence: string;
}

/** Incident without its id. `of` distinguishes incidents of one kind that open at the same time. */
interface Finding extends Omit<Incident, 'incidentId'> {
  readonly of: string;
}

const ID_CHARACTERS = 26;

/**
 * Assigns the id: `inc_` and the first 26 characters (Crockford base32, lower case) of the SHA-256 of kind, opening
 * time and `of` as a JSON array.
 */
export function incidentOf({ of, ...finding }: Finding): Incident {
  const digest = sha256Hex(JSON.stringify([finding.kind, finding.openedMs, of]));
  return { incidentId: `inc_${crockford(fromHex(digest), ID_CHARACTERS)}`, ...finding };
}

type IncidentCursor = Pick<Incident, 'openedMs' | 'incidentId'>;

/** Filter and page of incidents that overlap a span. */
export interface IncidentsWanted {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: any. Incidents without symbols match every symbol. */
  readonly symbol: string | null;
  readonly kind: string | null;
  /** The page starts after it; null: with the newest. */
  readonly after: IncidentCursor | null;
  readonly size: number;
}

/** In the order of `inIncidentOrder`. */
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

/** Newest first by opening time, then by id. */
export function inIncidentOrder(one: IncidentCursor, other: IncidentCursor): number {
  if (one.openedMs !== other.openedMs) return other.openedMs - one.openedMs;
  return one.incidentId < other.incidentId ? 1 : one.incidentId > other.incidentId ? -1 : 0;
}

/** Duration in its two largest units: `1 h 5 min`, `45 s`. */
function lengthWords(lengthMs: number): string {
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

/** `It lasted 5 min.`, or that the incident is ongoing. */
export function lastedSentence(openedMs: number, closedMs: number | null): string {
  return closedMs === null ? 'It is ongoing.' : `It lasted ${lengthWords(closedMs - openedMs)}.`;
}

/** `a, b and c`. */
export const LIST = new Intl.ListFormat('en-GB');

const FEED_SILENT_MS = 30_000;

export const GAP_INCIDENT_MS = 10_000;

export interface LedgerGap {
  readonly gapId: string;
  readonly symbol: string;
  /** Undefined: all channels. */
  readonly channel: string | undefined;
  readonly startMs: number;
  /** 0 while open. */
  readonly endMs: number;
  readonly reason: string;
  readonly resolution: string;
}

/** Gap reasons during which nothing was received from the venue. */
const SILENT: ReadonlySet<string> = new Set(['disconnected', 'feed_down']);

/**
 * Incident of a gap at a given time; null if it lost nothing or is too short.
 * - `feed_silent`: nothing received for at least `FEED_SILENT_MS`, because the connection or the feed was down;
 * - `gap`: rows are or may be missing for at least `GAP_INCIDENT_MS`, for any reason.
 */
export function gapIncident(gap: LedgerGap, nowMs: number): Incident | null {
  const { gapId, symbol, startMs, endMs, reason } = gap;
  const isOpen = endMs === 0;
  const lengthMs = (isOpen ? nowMs : endMs) - startMs;
  if (lossOf(gap) === 'none' || lengthMs < GAP_INCIDENT_MS) return null;
  const isSilent = SILENT.has(reason) && lengthMs >= FEED_SILENT_MS;
  return incidentOf({
    kind: isSilent ? 'feed_silent' : 'gap',
    openedMs: startMs,
    closedMs: isOpen ? null : endMs,
    symbols: [symbol],
    gapIds: [gapId],
    sentence: isSilent ? silentSentence(gap, lengthMs) : gapSentence(gap, lengthMs),
    of: gapId,
  });
}

const CAUSES: Readonly<Record<string, string>> = {
  disconnected: 'the connection to the venue was lost',
  feed_down: 'the feed did not run',
  sequence_gap: 'the venue skipped messages',
  overflow: 'messages arrived faster than the feed could process them',
  not_listed: 'the venue does not list the instrument',
  log_lost: 'event log entries were lost',
  recording_seam: 'the recording restarted at another position',
};

function causeOf({ reason }: LedgerGap): string {
  return CAUSES[reason] ?? reason.replaceAll('_', ' ');
}

function silentSentence(gap: LedgerGap, lengthMs: number): string {
  const { symbol, endMs } = gap;
  return endMs === 0
    ? `No data is received for ${symbol}: ${causeOf(gap)}. This is ongoing.`
    : `No data was received for ${symbol} for ${lengthWords(lengthMs)}: ${causeOf(gap)}.`;
}

function gapSentence(gap: LedgerGap, lengthMs: number): string {
  const { symbol, channel, endMs, reason } = gap;
  const rows = channel === undefined ? 'Rows of all channels' : `Rows of ${channel === 'trade' ? 'trades' : channel}`;
  const how = reason === 'recording_seam' ? 'may be missing' : 'are missing';
  if (endMs === 0) return `${rows} for ${symbol} ${how}: ${causeOf(gap)}. This is ongoing.`;
  return `${rows} for ${symbol} ${how} over ${lengthWords(lengthMs)}: ${causeOf(gap)}.`;
}
