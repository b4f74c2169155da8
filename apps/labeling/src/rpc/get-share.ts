import type { labeling } from '@market-state/contracts';
import { type ShareStore, standingOf } from '../shares/share';
import { isShareId } from '../shares/share-id';
import { toProtoShare, unknownShare } from './wire';

export interface GetShareDeps {
  readonly shares: Pick<ShareStore, 'find'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

/** Whether a share is active is decided by the clock, whatever has been swept since. */
export async function getShare(
  { shares, sharesLive, clock }: GetShareDeps,
  { shareId }: labeling.GetShareRequest,
): Promise<labeling.GetShareResponse> {
  const found = isShareId(shareId) ? await shares.find(shareId) : undefined;
  if (found === undefined) throw unknownShare();
  const standing = standingOf(found.share, clock(), sharesLive);
  const body = standing === 'active' ? found.body : null;
  return { share: toProtoShare(found.share, standing), tenantId: found.share.tenantId, body: Buffer.from(body ?? '', 'utf8') };
}
