import type { PacketClient } from '../../../clients/packet-client';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showShare } from './show-share';

export function listShares({ call: labeling }: PacketClient): Handler<'listShares'> {
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
