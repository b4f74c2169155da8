import { BTC, labelPurely } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

/** Start of the middle of three hours. */
export const HOUR_MS = 1_700_002_800_000;
const MINUTE_MS = 60_000;
/** In the middle hour, the feed plays the minutes around each quarter and is down otherwise. */
const PLAYED_MINUTES = [0, 1, 2, 14, 15, 29, 30, 44, 45, 58, 59];

function isPlayed(atMs: number): boolean {
  const minute = Math.floor((atMs - HOUR_MS) / MINUTE_MS);
  return minute < 0 || minute >= 60 || PLAYED_MINUTES.includes(minute);
}

/** Last minute of an hour, minutes of the next, and the first packets of a third. */
export const events = syntheticLog({ symbol: BTC, seconds: 3_700, seed: 5, stepMs: 2_000, startMs: HOUR_MS - MINUTE_MS })
  .filter(({ exchangeTsMs }) => isPlayed(exchangeTsMs))
  .map((event, index) => ({ ...event, ordinal: index + 1 }));
export const packets = labelPurely(events);
