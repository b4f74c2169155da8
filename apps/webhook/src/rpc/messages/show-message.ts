import type { webhook } from '@market-state/contracts';
import { bodyOf, type MessageRow } from '../../messages/body';

/** A message with its body, which is empty once it is no longer kept. */
export function showMessage(row: MessageRow): webhook.Message {
  return {
    messageId: row.message_id,
    eventKind: row.event_kind,
    createdMs: Number(row.created_ms),
    body: row.data === null ? Buffer.alloc(0) : bodyOf(row),
  };
}
