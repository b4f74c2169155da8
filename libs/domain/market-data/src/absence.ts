import type { Channel, SourceKind } from './event';
import { venueOf } from './venues';

/**
 * Why a source does not have a channel. `not_reported_by_venue`: the venue's public feed never has it; `not_in_this_source`: the venue
 * has it, and this recording or simulation does not; `not_subscribed`: the venue has it, and this service does not take it.
 */
export type Absence = 'not_reported_by_venue' | 'not_in_this_source' | 'not_subscribed';

/** Why a channel is not there. Of a venue that is not known, nothing is said but that this source does not have it. */
export function absenceOf(venue: string, sourceKind: SourceKind | undefined, channel: Channel): Absence {
  const known = venueOf(venue);
  if (known?.neverReported?.includes(channel) === true) return 'not_reported_by_venue';
  return sourceKind === 'live' && known !== undefined ? 'not_subscribed' : 'not_in_this_source';
}
