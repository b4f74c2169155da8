import { TICK_MS } from '../feed-clock';
import type { PlacedEvent } from '../log-writer';
import type { Heard } from './heard';
import type { Identified } from './identified';
import type { LiveLog } from './live-log';
import type { LogTail } from './log-tail';

/** A hole of the feed clock longer than this is not filled with ticks, milliseconds. */
export const TICKS_MS_MAX = 3_600_000;

/**
 * Whether a standby has heard everything since before the end of a log that is whole up to `wholeToMs`, the newest trade among it that must
 * have come to both by then.
 */
export function isJoinedBy(
  heard: Heard,
  tail: LogTail,
  { wholeToMs, closingLagMs }: { readonly wholeToMs: number; readonly closingLagMs: number },
  knows: (entry: Identified) => boolean,
): boolean {
  const span = heard.spanAt(wholeToMs, closingLagMs);
  if (span === undefined || !heard.keepsAfter(wholeToMs)) return false;
  const isDue = ({ kind, exchangeTsMs }: Identified): boolean =>
    kind === 'trade' && span.fromMs + closingLagMs <= exchangeTsMs && exchangeTsMs <= wholeToMs;
  const newest = tail.known.filter(isDue).at(-1);
  return newest === undefined || knows(newest);
}

/** Whether trades of a connection carry on those of a log: one of them is in it, or has the number that follows the newest there. */
export function carriesTradesOn(entries: readonly PlacedEvent[], sessionOrdinal: number, tail: LogTail): boolean {
  const logged = tail.known.filter(({ kind }) => kind === 'trade');
  const ids = new Set(logged.map(({ venueId }) => venueId));
  const following = Number(logged.at(-1)?.venueId) + 1;
  return entries.some(
    ({ event: { kind, ordinal, venueId } }) =>
      kind === 'trade' && ordinal >= sessionOrdinal && (ids.has(venueId) || Number(venueId) === following),
  );
}

/** Writes entries behind the end of a log, at the times at which they came, with the ticks between them. */
export function writeHeard(log: LiveLog, entries: readonly PlacedEvent[], onWritten: (entry: PlacedEvent) => void): void {
  let nextTickMs = (Math.floor(log.clockMs / TICK_MS) + 1) * TICK_MS;
  for (const entry of entries) {
    const { event, dueFeedClockMs } = entry;
    const ticksToMs = event.kind === 'tick' ? dueFeedClockMs : dueFeedClockMs - 1;
    if (ticksToMs - nextTickMs > TICKS_MS_MAX) nextTickMs = Math.ceil(ticksToMs / TICK_MS) * TICK_MS;
    for (; nextTickMs <= ticksToMs; nextTickMs += TICK_MS) {
      log.clockMs = nextTickMs;
      log.tick();
    }
    if (event.kind === 'tick') continue;
    log.clockMs = Math.max(log.clockMs, dueFeedClockMs);
    log.writeAgain(entry);
    onWritten(entry);
  }
}
