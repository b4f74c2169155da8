import { formatWebhookSecret, signWebhook } from '@market-state/webhook-signing';
import { Webhook } from 'standardwebhooks';
import { oneOf, wholeBetween } from '@market-state/testing';
import { firstOf, type SuiteContext } from '../harness';
import type { SdkHost } from './host';
import type { WebhookMessage } from './calls';

const SHOWN_MAX = 10;
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 300;

/** What is done to a message that was signed. */
const CHANGES = ['none', 'none', 'none', 'body', 'id', 'late', 'early', 'secret', 'header', 'reserialised', 'more signatures'] as const;

/** Judges messages by the SDK and by the reference library: they must agree on each. */
export async function verifyWebhooks({ report, random }: SuiteContext, host: SdkHost, total: number): Promise<void> {
  const messages = Array.from({ length: total }, () => drawMessage(random));
  const reference = messages.map(judgeReference);
  const verdicts = await host.judgeWebhooks(messages.map(({ body, headers, secret }) => ({ body, headers, secret })));
  const failures = messages.flatMap(({ change }, at) =>
    verdicts[at] === reference[at]
      ? []
      : [`${host.name}: a message with the change "${change}" is ${verdicts[at] ? 'genuine' : 'refused'}, and otherwise by the reference.`],
  );
  report.fail(...firstOf(failures, SHOWN_MAX));
  const genuine = verdicts.filter(Boolean).length;
  report.figure(`${host.name}: webhook messages genuine, refused`, `${genuine}, ${verdicts.length - genuine}`);
}

function drawMessage(random: () => number): WebhookMessage & { readonly change: (typeof CHANGES)[number] } {
  const bytes = (): Buffer => Buffer.from(Array.from({ length: SECRET_BYTES }, () => wholeBetween(0, 255, random)));
  const change = oneOf(CHANGES, random);
  const secret = formatWebhookSecret(bytes());
  const sent = `{"id": "msg_${wholeBetween(0, 1e6, random)}", "note": "é\\u00e9 ${random()}", "score": 0.50}`;
  const now = Math.floor(Date.now() / 1_000);
  const shift = change === 'late' ? -1 : change === 'early' ? 1 : 0;
  const timestampSeconds = now + shift * (TOLERANCE_SECONDS + wholeBetween(60, 5_000, random));
  const id = `msg_${wholeBetween(0, 1e6, random)}`;
  const headers: Record<string, string> = { ...signWebhook({ id, timestampSeconds, body: sent }, [secret]) };
  if (change === 'id') headers['webhook-id'] = `${id}0`;
  if (change === 'header') delete headers[oneOf(['webhook-id', 'webhook-timestamp', 'webhook-signature'], random)];
  if (change === 'more signatures') headers['webhook-signature'] = `v1,AAAA v2,x ${headers['webhook-signature'] ?? ''}`;
  const body = change === 'reserialised' ? JSON.stringify(JSON.parse(sent)) : change === 'body' ? sent.replace('0.50', '0.51') : sent;
  return { change, headers, body, secret: change === 'secret' ? formatWebhookSecret(bytes()) : secret };
}

function judgeReference({ body, headers, secret }: WebhookMessage): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}
