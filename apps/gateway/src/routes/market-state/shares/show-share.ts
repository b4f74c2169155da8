import type { labeling } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { shareRoutes, shareStateOf } from '../../../clients/shares';
import { toUtc, toUtcOrNull } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';

/** A share as its tenant sees it. */
export function showShare(share: labeling.Share | undefined): Described<'ShareRecord'> {
  if (share === undefined) throw internal({ detail: 'labeling told no share' });
  return {
    share_id: share.shareId,
    share_state: shareStateOf(share),
    event_id: share.eventId,
    symbol: share.symbol,
    window_end_utc: toUtc(share.windowEndMs),
    state: share.state,
    state_label: share.stateLabel,
    created_at_utc: toUtc(share.createdMs),
    expires_at_utc: toUtc(share.expiresMs),
    revoked_at_utc: toUtcOrNull(share.revokedMs),
    routes: shareRoutes(share.shareId),
  };
}
