import { lossOf } from '@market-state/market-data';
import { type Incident, incidentOf, lengthWords } from './incident';

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
