import type { labeling } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { type ShareStore, standingOf } from '../shares/share';
import { isShareId } from '../shares/share-id';
import { toProtoShare, unknownShare } from './wire';

export interface RevokeShareDeps {
  readonly shares: Pick<ShareStore, 'revoke'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

export async function revokeShare(
  { shares, sharesLive, clock }: RevokeShareDeps,
  { tenantId, shareId }: labeling.RevokeShareRequest,
): Promise<labeling.RevokeShareResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const nowMs = clock();
  const share = isShareId(shareId) ? await shares.revoke(tenantId, shareId, nowMs) : undefined;
  if (share === undefined) throw unknownShare();
  return { share: toProtoShare(share, standingOf(share, nowMs, sharesLive)) };
}
