import { createHash, randomBytes } from 'node:crypto';
import { beforeDeadline } from '@market-state/lifecycle';
import { redactText } from '@market-state/logging';
import { isMailRefused, type MailText, type MailTransport } from '@market-state/mail';
import { SEALING_NONCE_SIZE_BYTES, type SealingKey, sealSecret } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import { type AttemptResult, notSent } from '../delivery/attempt-result';
import { emailOf } from '../endpoints/destination';
import { countMail, writeConfirmation } from '../store/confirmations';
import type { LockedQueue } from '../store/endpoint-queues';
import {
  CONFIRMATION_LIFE_MS,
  confirmationMail,
  createCode,
  type Subscription,
  type UnsubscribeLinks,
  unsubscribeLinks,
  writeUnsubscribeToken,
} from './email-consent';
import { type Markup, type Notice, titleOf, writeText } from './notice';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Mails of a tenant in an hour (UTC), over all its addresses. */
const MAILS_PER_HOUR = 60;
/** Confirmations that a tenant may request in an hour, and that an address gets in a day from all tenants. */
const CONFIRMATIONS_PER_HOUR = 10;
const CONFIRMATIONS_PER_ADDRESS = 3;
/** Less than the age at which a claim is taken over. */
const SEND_MS = 30_000;
const SNIPPET_LENGTH_MAX = 1_024;

const PLAIN: Markup = { escape: (text) => text, bold: (text) => text, link: (label, url) => `${label}: ${url}`, lengthMax: 20_000 };

export interface MailDeps {
  readonly pool: Pool;
  readonly mail: MailTransport | undefined;
  readonly publicBaseUrl: string | undefined;
  readonly sealingKeys: readonly SealingKey[];
  readonly clock: () => number;
}

/** The tenant's mails of this hour are used up: try again later, without counting an attempt. */
export interface Postponed {
  readonly postponedUntilMs: number;
  /** Result of tests, which do not wait. */
  readonly ofTests: AttemptResult;
}

/** Mails the code instead to an unconfirmed address. */
export async function sendEmail(
  deps: MailDeps,
  queue: Pick<LockedQueue, 'endpointId' | 'tenantId' | 'url' | 'urlRevision' | 'isConfirmed'>,
  notices: readonly Notice[],
): Promise<AttemptResult | Postponed> {
  if (deps.mail === undefined)
    return { ...notSent('mail_unavailable'), explanation: 'This installation has no mail server: the operator must set SMTP_URL.' };
  const to = emailOf(queue.url);
  if (!queue.isConfirmed) return sendCode(deps, deps.mail, queue, to);
  const hourMs = floorTo(deps.clock(), HOUR_MS);
  if (!(await countMail(deps.pool, { counter: `tenant ${queue.tenantId}`, periodMs: hourMs, limit: MAILS_PER_HOUR }))) {
    const nextMs = hourMs + HOUR_MS;
    const sentence = `${MAILS_PER_HOUR} mails were sent in this hour. Test again after ${new Date(nextMs).toISOString()}.`;
    return { postponedUntilMs: nextMs, ofTests: limited(sentence) };
  }
  return send(
    deps.mail,
    `${queue.endpointId}-${notices[0]?.messageId ?? ''}`,
    to,
    alertMail(notices, queue.endpointId, linksOf(deps, queue)),
  );
}

async function sendCode(
  { pool, publicBaseUrl, sealingKeys, clock }: MailDeps,
  mail: MailTransport,
  queue: Pick<LockedQueue, 'endpointId' | 'tenantId' | 'urlRevision'>,
  to: string,
): Promise<AttemptResult> {
  const nowMs = clock();
  const { endpointId, tenantId } = queue;
  const ofTenant = { counter: `tenant ${tenantId} confirmations`, periodMs: floorTo(nowMs, HOUR_MS), limit: CONFIRMATIONS_PER_HOUR };
  if (!(await countMail(pool, ofTenant)))
    return limited(`At most ${CONFIRMATIONS_PER_HOUR} confirmations can be requested in an hour. Test again in the next one.`);
  const digest = createHash('sha256').update(to.toLowerCase()).digest('hex');
  const ofAddress = { counter: `address ${digest}`, periodMs: floorTo(nowMs, DAY_MS), limit: CONFIRMATIONS_PER_ADDRESS };
  if (!(await countMail(pool, ofAddress)))
    return limited(`An address gets at most ${CONFIRMATIONS_PER_ADDRESS} confirmation codes a day. Test again tomorrow (UTC).`);
  const code = createCode();
  const sealed = sealSecret(code, { keys: sealingKeys, endpointId, nonce: randomBytes(SEALING_NONCE_SIZE_BYTES) });
  await writeConfirmation(pool, queue, { sealed, expiresMs: nowMs + CONFIRMATION_LIFE_MS, wrong: 0 });
  return send(mail, `${endpointId}-code-${nowMs}`, to, confirmationMail(code, publicBaseUrl));
}

function linksOf({ publicBaseUrl, sealingKeys }: MailDeps, subscription: Subscription): UnsubscribeLinks | undefined {
  return publicBaseUrl === undefined ? undefined : unsubscribeLinks(publicBaseUrl, writeUnsubscribeToken(sealingKeys, subscription));
}

function alertMail(notices: readonly Notice[], endpointId: string, links: UnsubscribeLinks | undefined): MailText {
  const stop = links === undefined ? `delete or pause the destination ${endpointId}.` : `unsubscribe: ${links.page}`;
  const footer = `\n\n--\nYou get this mail because this address was confirmed for Market-State alerts. To stop it, ${stop}\n`;
  const threads = [...new Set(notices.map(({ episodeId }) => `<${episodeId}@market-state>`))];
  return {
    subject: `[Market-State] ${titleOf(notices)}`,
    text: `${writeText(notices, PLAIN)}${footer}`,
    // Mail programs show messages of one episode together.
    headers: {
      'Auto-Submitted': 'auto-generated',
      References: threads.slice(0, 5).join(' '),
      ...(links && { 'List-Unsubscribe': `<${links.oneClick}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

async function send(mail: MailTransport, id: string, to: string, text: MailText): Promise<AttemptResult> {
  const startMs = performance.now();
  const done = (result: Omit<AttemptResult, 'durationMs' | 'testTarget'>): AttemptResult => ({
    ...result,
    durationMs: performance.now() - startMs,
    testTarget: false,
  });
  try {
    await beforeDeadline(SEND_MS, mail.send(id, to, text));
    return done({ class: 'ok', snippet: '' });
  } catch (error) {
    return done(failureOf(error as SmtpError));
  }
}

interface SmtpError extends Error {
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Only answers about the recipient or the message are the destination's; others are this installation's own. */
function failureOf(error: SmtpError): Omit<AttemptResult, 'durationMs' | 'testTarget'> {
  const { command = '', response = '' } = error;
  const snippet = redactText(response).slice(0, SNIPPET_LENGTH_MAX);
  const isRecipient = command === 'RCPT TO';
  if (!isRecipient && command !== 'DATA')
    return {
      class: 'mail_unavailable',
      snippet: '',
      explanation: 'The mail server of this installation did not accept the mail. It is sent again later.',
    };
  if (!isMailRefused(error))
    return { class: 'mail_deferred', snippet, explanation: 'The mail server accepts the mail later (greylisting, or a full mailbox).' };
  if (isRecipient)
    return { class: 'mail_refused', snippet, explanation: 'The mail server does not know this address.', isFinal: 'destination' };
  return { class: 'mail_refused', snippet, explanation: 'The mail server does not accept this mail.', isFinal: 'message' };
}

function limited(explanation: string): AttemptResult {
  return { ...notSent('mail_limit'), explanation, isFinal: 'message' };
}

function floorTo(ms: number, periodMs: number): number {
  return ms - (ms % periodMs);
}
