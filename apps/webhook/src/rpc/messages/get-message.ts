import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { listDeliveries, listReceipts } from '../../store/receipts';
import { showDelivery, showReceipt } from '../show-receipt';
import { requireMessage } from './require-message';
import { showMessage } from './show-message';

/** More than a message has: 50 endpoints, of which each is tried 10 times, and again when it is asked for. */
const ATTEMPTS_MAX = 1_000;

export async function getMessage(
  { pool }: Pick<EndpointDeps, 'pool'>,
  { tenantId, messageId }: webhook.GetMessageRequest,
): Promise<webhook.GetMessageResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('message_id', messageId));
  const message = await requireMessage(pool, tenantId, messageId);
  const filter = { tenantId, endpointId: '', messageId, outcome: '', fromMs: 0, toMs: 0 };
  const [deliveries, receipts] = await Promise.all([listDeliveries(pool, messageId), listReceipts(pool, filter, { limit: ATTEMPTS_MAX })]);
  return { message: showMessage(message), deliveries: deliveries.map(showDelivery), attempts: receipts.map(showReceipt) };
}
