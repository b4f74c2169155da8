import { notFound } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import type { MessageRow } from '../../messages/body';
import { findMessage } from '../../store/kept-messages';

/** @throws ServiceError NOT_FOUND `unknown_message` */
export async function requireMessage(on: Queryable, tenantId: string, messageId: string): Promise<MessageRow> {
  const message = await findMessage(on, tenantId, messageId);
  if (message === undefined) throw notFound('unknown_message', 'No such message.');
  return message;
}
