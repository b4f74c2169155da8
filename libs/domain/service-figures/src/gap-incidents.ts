import { lossOf } from '@market-state/market-data';
import { type Incident, incidentOf, lengthWords } from './incident';

/** A feed that heard nothing for so long was silent. */
const FEED_SILENT_MS = 30_000;

/** Rows that are missing for so long are an incident of their own. */
export const GAP_INCIDENT_MS = 10_000;

/** An entry of the gap ledger. */
export interface LedgerGap {
  readonly gapId: string;
  readonly symbol: string;
  /** Undefined: all channels. */
  readonly channel: string | undefined;
  /** Exchange time, milliseconds. */
  readonly startMs: number;
  /** 0: it is open. */
  readonly endMs: number;
  readonly reason: string;
  readonly resolution: string;
}

/** Reasons of gaps in which nothing was heard from the venue at all. */
const SILENT: ReadonlySet<string> = new Set(['disconnected', 'feed_down']);

/**
 * The incident that an entry of the ledger makes at an instant; null for one that lost nothing, or that is too short.
 * - `feed_silent`: nothing was heard for `FEED_SILENT_MS` or longer, as the connection or the feed was down;
 * - `gap`: rows are missing, or may be, for `GAP_INCIDENT_MS` or longer, whatever the reason.
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
  sequence_gap: 'the venue left out messages',
  overflow: 'more came than the feed could take',
  not_listed: 'the venue does not list the instrument',
  log_lost: 'entries of the log were lost',
  recording_seam: 'a recording began again elsewhere',
};

function causeOf({ reason }: LedgerGap): string {
  return CAUSES[reason] ?? reason.replaceAll('_', ' ');
}

function silentSentence(gap: LedgerGap, lengthMs: number): string {
  const { symbol, endMs } = gap;
  return endMs === 0
    ? `Nothing is heard of ${symbol}: ${causeOf(gap)}. It goes on.`
    : `Nothing was heard of ${symbol} for ${lengthWords(lengthMs)}: ${causeOf(gap)}.`;
}

function gapSentence(gap: LedgerGap, lengthMs: number): string {
  const { symbol, channel, endMs, reason } = gap;
  const rows = channel === undefined ? 'Rows of every channel' : `Rows of ${channel === 'trade' ? 'trades' : channel}`;
  const how = reason === 'recording_seam' ? 'may be missing' : 'are missing';
  if (endMs === 0) return `${rows} of ${symbol} ${how}: ${causeOf(gap)}. It goes on.`;
  return `${rows} of ${symbol} ${how} over ${lengthWords(lengthMs)}: ${causeOf(gap)}.`;
}
