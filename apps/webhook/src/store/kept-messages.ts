import type { Queryable } from '@market-state/postgres';
import type { MessageRow } from '../messages/body';
import { BODY_COLUMNS, IS_BODY_KEPT, WITH_PAYLOAD } from './kept-body';

const COLUMNS = `
  message.message_id, message.tenant_id, message.position, message.event_kind, message.occasion, message.symbol, message.created_ms,
  ${BODY_COLUMNS}`;

const FROM = `FROM message ${WITH_PAYLOAD}`;

/** Position of a tenant's newest message; 0 without any. */
export async function newestPosition(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await on.query<{ newest: string }>('SELECT newest FROM message_order WHERE tenant_id = $1', [tenantId]);
  return Number(rows[0]?.newest ?? 0);
}

/** Messages of a tenant after a position, in their order, with a body that is still kept. */
export async function listMessages(
  on: Queryable,
  tenantId: string,
  { after, eventKinds, limit }: { readonly after: number; readonly eventKinds: readonly string[]; readonly limit: number },
): Promise<MessageRow[]> {
  const { rows } = await on.query<MessageRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE message.tenant_id = $1 AND message.position > $2 AND ($3::text[] = '{}' OR message.event_kind = ANY($3))
       AND ${IS_BODY_KEPT}
     ORDER BY message.position LIMIT $4`,
    [tenantId, after, eventKinds, limit],
  );
  return rows;
}

export async function findMessage(on: Queryable, tenantId: string, messageId: string): Promise<MessageRow | undefined> {
  const { rows } = await on.query<MessageRow>(`SELECT ${COLUMNS} ${FROM} WHERE message.message_id = $1 AND message.tenant_id = $2`, [
    messageId,
    tenantId,
  ]);
  return rows[0];
}

export async function findMessageOfOccasion(on: Queryable, tenantId: string, occasion: string): Promise<string | undefined> {
  const { rows } = await on.query<{ message_id: string }>('SELECT message_id FROM message WHERE tenant_id = $1 AND occasion = $2', [
    tenantId,
    occasion,
  ]);
  return rows[0]?.message_id;
}
