import type { labeling } from '@market-state/contracts';
import { isId } from '@market-state/credentials';
import { cutPage, readToken, writeToken } from '@market-state/page-token';
import { idFaults, refuseFaults, eventIdFaults, rangeFaults } from '@market-state/request-checks';
import { z } from 'zod';
import { type ShareStore, standingOf, type Share, type ShareCursor, DAYS_MAX, createShare as create, type CreateShareDeps } from '../share';
import { toProtoShare, unknownShare } from './wire';
import { pageFaults, pageSizeOf } from './span-request';
import type { PacketReader } from '../packets/packet';
import { requirePacket } from './packets';

interface CreateShareRpcDeps extends CreateShareDeps {
  readonly reader: Pick<PacketReader, 'find'>;
}

export async function createShare(deps: CreateShareRpcDeps, request: labeling.CreateShareRequest): Promise<labeling.CreateShareResponse> {
  const { tenantId, planId, operationId, eventId, days } = request;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    eventIdFaults(eventId),
    rangeFaults('days', days, 1, DAYS_MAX),
  );
  const packet = await requirePacket(deps.reader, { eventId, asOfMs: 0 });
  const share = await create(deps, { tenantId, planId, operationId, packet, days });
  return { share: toProtoShare(share, standingOf(share, deps.clock(), deps.sharesLive)) };
}

interface GetShareDeps {
  readonly shares: Pick<ShareStore, 'find'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

/** The clock determines whether a share is active, regardless of sweeps. */
export async function getShare(
  { shares, sharesLive, clock }: GetShareDeps,
  { shareId }: labeling.GetShareRequest,
): Promise<labeling.GetShareResponse> {
  const found = isId('shr', shareId) ? await shares.find(shareId) : undefined;
  if (found === undefined) throw unknownShare();
  const standing = standingOf(found.share, clock(), sharesLive);
  const body = standing === 'active' ? found.body : null;
  return { share: toProtoShare(found.share, standing), tenantId: found.share.tenantId, body: Buffer.from(body ?? '', 'utf8') };
}

interface ListSharesDeps {
  readonly shares: Pick<ShareStore, 'list'>;
  readonly sharesLive: boolean;
  readonly clock: () => number;
}

const TOKEN = z.tuple([z.literal('shares'), z.int().nonnegative(), z.string().refine((text) => isId('shr', text))]);

export async function listShares(
  { shares, sharesLive, clock }: ListSharesDeps,
  request: labeling.ListSharesRequest,
): Promise<labeling.ListSharesResponse> {
  const after = request.pageToken === '' ? null : placeOf(request.pageToken);
  refuseFaults(idFaults('tenant_id', request.tenantId), pageFaults(request, after));
  const size = pageSizeOf(request);
  const found = await shares.list(request.tenantId, after ?? null, size + 1);
  const { page, nextPageToken } = cutPage(found, size, tokenOf);
  const nowMs = clock();
  return { shares: page.map((share) => toProtoShare(share, standingOf(share, nowMs, sharesLive))), nextPageToken };
}

function tokenOf({ createdMs, shareId }: Share): string {
  return writeToken(['shares', createdMs, shareId]);
}

function placeOf(token: string): ShareCursor | undefined {
  const read = readToken(TOKEN, token);
  return read === undefined ? undefined : { createdMs: read[1], shareId: read[2] };
}

interface RevokeShareDeps {
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
  const share = isId('shr', shareId) ? await shares.revoke(tenantId, shareId, nowMs) : undefined;
  if (share === undefined) throw unknownShare();
  return { share: toProtoShare(share, standingOf(share, nowMs, sharesLive)) };
}
