import type { labeling } from '@market-state/contracts';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type Share, type SharePlace, type ShareStore, standingOf } from '../shares/share';
import { isShareId } from '../shares/share-id';
import { pageFaults, pageSizeOf } from './page-size';
import { toProtoShare } from './wire';

export interface ListSharesDeps {
  readonly shares: Pick<ShareStore, 'list'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

const TOKEN = z.tuple([z.literal('shares'), z.int().nonnegative(), z.string().refine(isShareId)]);

export async function listShares(
  { shares, sharesLive, clock }: ListSharesDeps,
  request: labeling.ListSharesRequest,
): Promise<labeling.ListSharesResponse> {
  const after = request.pageToken === '' ? null : placeOf(request.pageToken);
  refuseFaults(idFaults('tenant_id', request.tenantId), pageFaults(request, after));
  const size = pageSizeOf(request);
  const found = await shares.list(request.tenantId, after ?? null, size + 1);
  const page = found.slice(0, size);
  const last = found.length > size ? page.at(-1) : undefined;
  const nowMs = clock();
  return {
    shares: page.map((share) => toProtoShare(share, standingOf(share, nowMs, sharesLive))),
    nextPageToken: last === undefined ? '' : tokenOf(last),
  };
}

function tokenOf({ createdMs, shareId }: Share): string {
  return writeToken(['shares', createdMs, shareId]);
}

function placeOf(token: string): SharePlace | undefined {
  const read = readToken(TOKEN, token);
  return read === undefined ? undefined : { createdMs: read[1], shareId: read[2] };
}
