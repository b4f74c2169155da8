import type { ScenarioName } from '../scenario/scenarios';
import type { PlannedSegment } from '../scenario/segment';
import { setPlan } from './set-plan';

/** What only a recording or the feed itself can do: a venue can't. */
const NOT_A_VENUES: readonly ScenarioName[] = ['cold_start', 'recording_seam', 'feed_down'];

/** The set as a venue plays it, over and over: without what happens to recordings and feeds alone. */
export const livePlan: readonly PlannedSegment[] = setPlan.filter(({ scenario }) => !NOT_A_VENUES.includes(scenario));
