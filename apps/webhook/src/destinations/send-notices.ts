import type { Sender, SendResult } from '@market-state/guarded-http';
import { openSecret } from '@market-state/webhook-signing';
import { type AttemptResult, isOk, notSent } from '../delivery/attempt-result';
import type { MessageRow } from '../messages/message';
import type { LockedQueue } from '../store/endpoint-queues';
import type { StoredSecret } from '../store/secrets';
import { DESTINATION_APIS } from './destination-api';
import { type MailDeps, type Postponed, sendEmail } from './email';
import { noticeOf } from './notice';

export type NoticeDeps = MailDeps & { readonly send: Sender['send'] };

export interface SendingNotices {
  readonly queue: LockedQueue;
  readonly secrets: readonly StoredSecret[];
  /** With data; several are a digest. */
  readonly messages: readonly MessageRow[];
  readonly signal: AbortSignal;
}

/** Makes one attempt at a destination other than a webhook. */
export async function sendNotices(
  deps: NoticeDeps,
  { queue, secrets, messages, signal }: SendingNotices,
): Promise<AttemptResult | Postponed> {
  const { kind, endpointId, url, chatId } = queue;
  const notices = messages.map((message) => noticeOf(message, deps.publicBaseUrl));
  if (kind === 'webhook') throw new RangeError('a webhook gets signed messages');
  if (kind === 'email') return sendEmail(deps, queue, notices);
  const credential = openCredential(deps, secrets, endpointId);
  if (credential === undefined) return notSent('secret_unreadable');
  const api = DESTINATION_APIS[kind];
  const composed = api.compose(notices, { endpointId, url, chatId, credential });
  const sent = await deps.send({
    url: composed.url,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'market-state-alerts' },
    body: Buffer.from(JSON.stringify(composed.body)),
    owner: endpointId,
    signal,
  });
  const answer = { ...sent, snippet: withoutCredential(sent, credential, url) };
  if (isOk(answer) || answer.status === undefined) return answer;
  return { ...answer, ...api.refusalOf(answer) };
}

function openCredential({ sealingKeys: keys }: NoticeDeps, [stored]: readonly StoredSecret[], endpointId: string): string | undefined {
  try {
    return stored === undefined ? undefined : openSecret(stored.sealed, { keys, endpointId });
  } catch {
    return undefined;
  }
}

const SECRET_LENGTH_MIN = 6;

/** An answer may quote the request, or any part of it that is not public. Numbers are public ids, such as a bot's. */
function withoutCredential({ snippet }: SendResult, credential: string, publicUrl: string): string {
  const parts = [credential, ...credential.split(/[/?&=:]/)];
  const secrets = parts.filter((part) => part.length >= SECRET_LENGTH_MIN && /\D/.test(part) && !publicUrl.includes(part));
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), snippet);
}
