import type { labeling } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import { aboutEvent } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { newOperationId } from '../../serving/metering/meter';
import { shareRoutes, shareStateOf } from '../../clients/shares';
import { toUtc, toUtcOrNull } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';

type ShareDeps = Pick<Upstreams, 'packets'>;

/** The tenant's own view of a share. */
function showShare(share: labeling.Share | undefined): Described<'ShareRecord'> {
  if (share === undefined) throw internal({ detail: 'labeling returned no share' });
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

export function createShare({ packets }: ShareDeps): Handler<'createShare'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { event_id: eventId, days } = call.input.body;
    const operationId = call.ownTry?.operationId ?? newOperationId();
    const order = { tenantId, planId: plan.planId, operationId, eventId, days };
    const { share } = await aboutEvent(packets.call.createShare(order));
    const record = showShare(share);
    const answer = accountAnswer(call, record, `Anyone with the link can see this packet until ${record.expires_at_utc}.`);
    return { ...answer, headers: { Location: record.routes.packet } };
  };
}

export function listShares({ packets: { call: labeling } }: ShareDeps): Handler<'listShares'> {
  return async (call) => {
    const { limit, cursor } = call.input.query;
    const page = await labeling.listShares({ tenantId: grantOf(call).tenantId, pageSize: limit, pageToken: cursor });
    const fields = {
      shares: page.shares.map(showShare),
      row_total: page.shares.length,
      next_cursor: page.nextPageToken === '' ? null : page.nextPageToken,
    };
    return accountAnswer(call, fields, 'Shares of this tenant, newest first.');
  };
}

export function revokeShare({ packets: { call: labeling } }: ShareDeps): Handler<'revokeShare'> {
  return async (call) => {
    const { share } = await labeling.revokeShare({ tenantId: grantOf(call).tenantId, shareId: call.input.path.share_id });
    return accountAnswer(call, showShare(share), 'The packet is no longer public. Its proof line remains available at the same address.');
  };
}
