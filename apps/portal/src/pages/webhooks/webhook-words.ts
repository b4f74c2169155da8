import { duration, words } from '@market-state/packet-figures';
import type { Endpoint } from '../../service/use-endpoints';
import type { Attempt } from './use-webhooks';
import { stateLabel } from '../../packets/words';
import { marketNamed, marketWords, marketsWords } from '../../packets/market-name';
import { clock } from '../../time/clock';

interface HealthSlot {
  readonly startMs: number;
  readonly endMs: number;
  readonly attempts: number;
  readonly failed: number;
}

/** Attempts in `slots` equal intervals before `toMs`, oldest first. */
export function healthOf(
  attempts: readonly Attempt[],
  webhookId: string,
  toMs: number,
  hours: number,
  slots: number,
): readonly HealthSlot[] {
  const lengthMs = (hours * 3_600_000) / slots;
  const startMs = toMs - slots * lengthMs;
  const counts = Array.from({ length: slots }, () => ({ attempts: 0, failed: 0 }));
  for (const { webhook_id: id, started_at_utc: started, outcome } of attempts) {
    if (id !== webhookId) continue;
    const slot = counts[Math.min(slots - 1, Math.floor((Date.parse(started) - startMs) / lengthMs))];
    if (slot === undefined) continue;
    slot.attempts += 1;
    if (outcome !== 'ok') slot.failed += 1;
  }
  return counts.map((count, index) => ({ startMs: startMs + index * lengthMs, endMs: startMs + (index + 1) * lengthMs, ...count }));
}

export function healthWord({ attempts, failed }: HealthSlot): 'quiet' | 'good' | 'mixed' | 'bad' {
  if (attempts === 0) return 'quiet';
  if (failed === 0) return 'good';
  return failed < attempts ? 'mixed' : 'bad';
}

interface MessageWords {
  readonly sentence: string;
  /** Null if it is about no symbol or about several. */
  readonly symbol: string | null;
  /** Null if it is not about a packet. */
  readonly eventId: string | null;
  readonly isSimulated: boolean;
}

interface Message {
  readonly type: string;
  readonly data: object;
  readonly meta: object;
}

export function messageWords({ type, data, meta }: Message): MessageWords {
  const fields: Readonly<Record<string, unknown>> = { ...data };
  const text = (name: string): string | null => (typeof fields[name] === 'string' ? fields[name] : null);
  const symbols = Array.isArray(fields['symbols']) ? fields['symbols'].map(String) : [];
  return {
    sentence: sentenceOf(type, text),
    symbol: marketOf(text) ?? (symbols.length > 0 ? marketsWords(symbols) : null),
    eventId: text('event_id'),
    isSimulated: 'synthetic' in meta && meta.synthetic === true,
  };
}

function marketOf(text: (name: string) => string | null): string | null {
  const symbol = text('symbol');
  return symbol === null ? null : marketWords(marketNamed({ symbol, venue: text('venue') ?? undefined }).symbol);
}

function sentenceOf(type: string, text: (name: string) => string | null): string {
  switch (type) {
    case 'alert.triggered':
      return `${text('watchlist_name') ?? 'an alert'}: ${words(text('phase') ?? '')}`;
    case 'state.changed':
      return `from ${stateLabel(text('previous_state') ?? '')} to ${stateLabel(text('state') ?? '')}`;
    case 'packet.created':
      return stateLabel(text('state') ?? '');
    case 'export.finished':
      return `${words(text('dataset') ?? 'an export')}: ${words(text('status') ?? '')}`;
    case 'message.exhausted':
      return `${text('event_kind') ?? 'a message'} could not be delivered to another endpoint`;
    default:
      return kindWords(type);
  }
}

const SERVICES: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
  email: 'Email',
};

export const serviceName = (kind: string): string => SERVICES[kind] ?? words(kind);

type Addressed = Pick<Endpoint, 'kind' | 'url' | 'email' | 'chat_id'>;

/** Destination in one line: the URL of a webhook, an address, a chat. */
export function destinationName({ kind, url, email, chat_id: chat }: Addressed): string {
  if (kind === 'webhook') return url;
  if (email !== null) return email;
  if (chat !== null) return `${serviceName(kind)} chat ${chat}`;
  return kind === 'pagerduty' ? serviceName(kind) : `${serviceName(kind)}: ${url.replace('https://', '')}`;
}

export function digestWords(minutes: number): string {
  if (minutes === 0) return 'each message immediately';
  return `one message every ${duration(minutes * 60_000)}`;
}

/** A kind unknown to this version is shown as is. */
const KINDS: Readonly<Record<string, string>> = {
  'packet.created': 'a packet of a symbol, every ten seconds',
  'state.changed': 'the published state of a symbol changed',
  'alert.triggered': 'a rule started firing, recovered or ended',
  'export.finished': 'an export is ready, failed or was cancelled',
  'usage.threshold_reached': "a share of the period's credits is used up",
  'endpoint.disabled': 'another endpoint was disabled',
  'message.exhausted': 'a message could not be delivered to another endpoint',
  'webhook.test': 'a test message; every endpoint gets it',
};

export const kindWords = (kind: string): string => KINDS[kind] ?? words(kind);

const REASONS: Readonly<Record<NonNullable<Endpoint['disabled_reason']>, string>> = {
  owner: 'paused by you',
  gone_410: 'it responded with 410 Gone',
  failing_120h: 'every attempt failed for 120 hours',
  url_changed: 'its new address needs a test',
  destination_refused: 'it no longer accepts messages',
  unsubscribed: 'the recipient unsubscribed',
};

export function statusWords({
  kind,
  status,
  disabled_reason: reason,
  paused_until_utc: paused,
  confirmed_at_utc: confirmed,
}: Endpoint): string {
  if (status === 'live') return paused === null ? 'live' : kind === 'webhook' ? 'live, paused after failures' : 'live, paused';
  if (status === 'test_pending' && kind === 'email' && confirmed === null) return 'Unconfirmed: send a test to mail a code';
  if (status === 'test_pending') return 'Unverified: send a test to activate';
  return `disabled: ${reason === null ? 'receives nothing' : (REASONS[reason] ?? words(reason))}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  ok: 'delivered',
  timeout: 'timed out',
  dns: 'host name not found',
  guard: 'address not allowed',
  tls: 'TLS failed',
  connect: 'no connection',
  reset: 'connection lost',
  too_large: 'response too large',
  body_gone: 'body no longer stored',
  secret_unreadable: 'secret unreadable: enter it again',
  mail_refused: 'mail refused',
  mail_deferred: 'mail deferred',
  mail_unavailable: 'no mail server',
  mail_limit: 'too many mails',
};

export function outcomeWords({ outcome, status_code: status }: Pick<Attempt, 'outcome' | 'status_code'>): string {
  const said = OUTCOMES[outcome] ?? (outcome.startsWith('status_') ? 'refused' : words(outcome));
  return status === null ? said : `${said}, ${status}`;
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly path: string;
}

/** @param data of a message `alert.triggered` */
export function notificationOf(data: Readonly<Record<string, unknown>>): Shown {
  const text = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  const { symbol: market } = marketNamed({ symbol: text('symbol'), venue: text('venue') || undefined });
  const window = text('window_end_utc');
  const notes = [data['synthetic'] === true ? 'simulated market' : '', data['late'] === true ? 'late, after an outage' : ''];
  return {
    title: `${text('watchlist_name') || 'Alert'}: ${marketWords(market)} ${words(text('phase'))}`,
    body: [`Window until ${clock(window)}`, ...notes.filter((note) => note !== '')].join(', '),
    tag: text('episode_id'),
    path: `/replay?${new URLSearchParams({ symbol: market, at: window }).toString()}`,
  };
}
