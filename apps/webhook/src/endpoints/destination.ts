import type { Fault } from '@market-state/errors';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, testTargetOf } from '@market-state/guarded-http';
import { rangeFaults } from '@market-state/request-checks';

export const ENDPOINT_KINDS = ['webhook', 'slack', 'discord', 'telegram', 'pagerduty', 'email'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** Absent or empty means not given. */
export interface DestinationFields {
  readonly url?: string | undefined;
  readonly email?: string | undefined;
  readonly botToken?: string | undefined;
  readonly chatId?: string | undefined;
  readonly routingKey?: string | undefined;
  readonly digestMinutes?: number | undefined;
}

/** Checked fields as they are stored; absent means unchanged. */
export interface Destination {
  /** Public address, without its secret part. */
  readonly url?: string;
  /** Credential to seal. Webhooks have a signing secret instead, emails none. */
  readonly credential?: string;
  readonly chatId?: string;
  readonly digestMinutes?: number;
}

export type CheckedDestination =
  | { readonly destination: Destination; readonly faults: readonly [] }
  | { readonly faults: readonly Fault[] };

/** Call it once faults are refused. */
export function destinationOf(checked: CheckedDestination): Destination {
  if (!('destination' in checked)) throw new RangeError('the destination is not allowed');
  return checked.destination;
}

const FIELD_NAMES = { url: 'url', email: 'email', botToken: 'bot_token', chatId: 'chat_id', routingKey: 'routing_key' } as const;
type AddressField = keyof typeof FIELD_NAMES;

const FIELDS: Readonly<Record<EndpointKind, { readonly required: readonly AddressField[]; readonly optional: readonly AddressField[] }>> = {
  webhook: { required: ['url'], optional: [] },
  slack: { required: ['url'], optional: [] },
  discord: { required: ['url'], optional: [] },
  telegram: { required: ['botToken', 'chatId'], optional: ['url'] },
  pagerduty: { required: ['routingKey'], optional: ['url'] },
  email: { required: ['email'], optional: [] },
};

/** Kinds whose messages may be collected: a webhook is one message, a PagerDuty event opens or resolves one incident. */
const DIGEST_KINDS: ReadonlySet<EndpointKind> = new Set(['slack', 'discord', 'telegram', 'email']);
const DIGEST_MINUTES_MAX = 1_440;

const TELEGRAM_URL = 'https://api.telegram.org/';
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

const BOT_TOKEN = /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/;
const CHAT_ID = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/;
const ROUTING_KEY = /^[0-9A-Za-z]{32}$/;
const DISCORD_PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+$/;
const SLACK_PATH = /^\/services\/[^/]+\/[^/]+\/[^/]+$/;
const SLACK_HOSTS: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
/** One address in ASCII letters; rejects quoted local parts and address literals, which mail servers rarely accept. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
const EMAIL_LENGTH_MAX = 254;

/**
 * Reports all faults.
 * @param isNew true if every required field must be given
 */
export async function checkDestination(
  targets: TargetCheck,
  kind: EndpointKind,
  given: DestinationFields,
  isNew: boolean,
): Promise<CheckedDestination> {
  const faults = [...presenceFaults(kind, given, isNew), ...formatFaults(given), ...digestFaults(kind, given.digestMinutes)];
  const checked = given.url ? await targets.check(given.url) : undefined;
  if (checked !== undefined && !('url' in checked)) return { faults: [...faults, ...checked.faults] };
  const url = checked?.url;
  if (url !== undefined) faults.push(...hookFaults(kind, new URL(url)));
  return faults.length > 0 ? { faults } : { destination: toDestination(kind, given, url, isNew), faults: [] };
}

function presenceFaults(kind: EndpointKind, given: DestinationFields, isNew: boolean): Fault[] {
  const { required, optional } = FIELDS[kind];
  return (Object.keys(FIELD_NAMES) as AddressField[]).flatMap((name) => {
    const field = FIELD_NAMES[name];
    const isGiven = given[name] !== undefined && given[name] !== '';
    if (required.includes(name)) {
      const isMissing = isNew ? !isGiven : given[name] === '';
      return isMissing ? [{ field, message: `is required for kind ${kind}`, type: 'missing' }] : [];
    }
    return isGiven && !optional.includes(name) ? [{ field, message: `does not apply to kind ${kind}`, type: 'unsupported' }] : [];
  });
}

function formatFaults({ email, botToken, chatId, routingKey }: DestinationFields): Fault[] {
  const malformed = (field: string, message: string): Fault => ({ field, message, type: 'malformed' });
  const faults: Fault[] = [];
  if (email && (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email))) faults.push(malformed('email', 'must be one email address'));
  if (botToken && !BOT_TOKEN.test(botToken)) faults.push(malformed('bot_token', 'must be a bot token such as 123456:ABC…'));
  if (chatId && !CHAT_ID.test(chatId)) faults.push(malformed('chat_id', 'must be a chat id such as -1001234567890, or @channel'));
  if (routingKey && !ROUTING_KEY.test(routingKey)) faults.push(malformed('routing_key', 'must be 32 letters and digits'));
  return faults;
}

function digestFaults(kind: EndpointKind, digestMinutes = 0): Fault[] {
  const field = 'digest_minutes';
  if (digestMinutes > 0 && !DIGEST_KINDS.has(kind)) return [{ field, message: `does not apply to kind ${kind}`, type: 'unsupported' }];
  return rangeFaults(field, digestMinutes, 0, DIGEST_MINUTES_MAX);
}

/** Slack hosts are checked in full; other hosts may run a compatible service, such as Mattermost. */
function hookFaults(kind: EndpointKind, { hostname, pathname }: URL): Fault[] {
  const malformed = (message: string): Fault[] => [{ field: 'url', message, type: 'malformed' }];
  if (kind === 'slack' && SLACK_HOSTS.has(hostname) && !SLACK_PATH.test(pathname))
    return malformed('must be an incoming webhook: https://hooks.slack.com/services/…');
  if (kind === 'discord' && !DISCORD_PATH.test(pathname)) return malformed('must be a webhook: https://discord.com/api/webhooks/…');
  return [];
}

function toDestination(kind: EndpointKind, given: DestinationFields, url: string | undefined, isNew: boolean): Destination {
  const { chatId, digestMinutes } = given;
  const options = { ...(chatId ? { chatId } : {}), ...(digestMinutes === undefined ? {} : { digestMinutes }) };
  switch (kind) {
    case 'webhook':
      return { ...options, ...(url === undefined ? {} : { url }) };
    case 'slack':
    case 'discord':
      return { ...options, ...(url === undefined ? {} : { url: withoutSecret(url), credential: url }) };
    case 'telegram':
      return { ...options, ...addressOf(url, TELEGRAM_URL, isNew), ...(given.botToken ? { credential: given.botToken } : {}) };
    case 'pagerduty':
      return { ...options, ...addressOf(url, PAGERDUTY_URL, isNew), ...(given.routingKey ? { credential: given.routingKey } : {}) };
    case 'email':
      return { ...options, ...(given.email ? { url: `mailto:${given.email}` } : {}) };
  }
}

function addressOf(url: string | undefined, usual: string, isNew: boolean): { readonly url?: string } {
  if (url !== undefined) return { url };
  return isNew ? { url: usual } : {};
}

/** Beginning of a hook's path that is known to hold no token: of Slack, of Discord (also in Slack's form), of Mattermost. */
const PUBLIC_PATH = /^\/(?:services\/T\w+\/B\w+\/|api\/(?:v\d+\/)?webhooks\/\d+\/|hooks\/)?/;

/** Everything after the public beginning may be the token. */
export function withoutSecret(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${PUBLIC_PATH.exec(pathname)?.[0] ?? '/'}…`;
}

export function emailOf(url: string): string {
  return url.slice('mailto:'.length);
}

const DNS_MS = 2_000;

/** Normalised URL, or the reason why it is not allowed. */
type CheckedTarget = { readonly url: string; readonly faults: readonly [] } | { readonly faults: readonly [Fault] };

/** Includes the addresses that the URL currently resolves to. */
export interface TargetCheck {
  check(url: string): Promise<CheckedTarget>;
  /** True if the operator allows its host for tests. */
  isTestTarget(url: string): boolean;
}

export function createTargetCheck(targets: readonly TestTarget[], resolver: AddressResolver = createResolver(DNS_MS)): TargetCheck {
  return {
    async check(text) {
      const checked = checkUrl(text, targets);
      if (!checked.ok) return refused(checked.message);
      const resolved = await resolveTarget(checked.url, { resolver, targets, timeoutMs: DNS_MS });
      return resolved.ok ? { url: checked.url.href, faults: [] } : refused(resolved.message);
    },
    isTestTarget: (url) => testTargetOf(new URL(url), targets) !== undefined,
  };
}

function refused(message: string): CheckedTarget {
  return { faults: [{ field: 'url', message, type: 'url_not_allowed' }] };
}
