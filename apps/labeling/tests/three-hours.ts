import { BTC, labelPurely } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

/** Start of the whole hour among the three that windows end in: the last minutes of one, a whole one, the first packets of a third. */
export const HOUR_MS = 1_700_002_800_000;
export const events = syntheticLog({ symbol: BTC, seconds: 3_700, seed: 5, stepMs: 2_000, startMs: HOUR_MS - 60_000 });
export const packets = labelPurely(events);
