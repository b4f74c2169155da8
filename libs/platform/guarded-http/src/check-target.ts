import { promises as dns } from 'node:dns';
import { isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { beforeDeadline } from '@market-state/lifecycle';
import { isGloballyRoutable, isWithin, parseAddress, parseRange, type Range } from './addresses';

const LENGTH_MAX = 2_048;
const HOST_LENGTH_MAX = 253;
const PORTS = new Set(['', '8443']);
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const RESERVED = ['.localhost', '.internal', '.local', '.onion'];
/** Characters that the URL parser drops or treats as `/`. */
const FORBIDDEN_CHARACTER = /[\0-\x20\x7f\\]/;
const AUTHORITY = /^https:\/\/([^/?#]+)/i;
const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(parseRange);
const TEST_TARGET = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*):(\*|\d{1,5})=(\S+)$/;
const DNS_TRIES = 2;

const SENTENCES = {
  too_long: `The URL is longer than ${LENGTH_MAX} characters.`,
  forbidden_character: 'The URL contains whitespace, a control character or a backslash.',
  not_a_url: 'The URL must have the form https://host/path.',
  not_https: 'The URL must begin with https://.',
  has_user_info: 'The URL must not contain a user name or password.',
  has_fragment: 'The URL must not contain a fragment (#).',
  ip_literal: 'The host must be a name, not an IP address.',
  bad_host: 'The host is not a valid DNS name.',
  single_label: 'The host must be a fully qualified name, such as hooks.example.com.',
  reserved_name: 'The host name is reserved for private networks.',
  port_not_allowed: 'The port must be 443 or 8443.',
};

export type UrlFault = keyof typeof SENTENCES;

/** Parsed URL to store and send to, or the reason for refusing it. */
export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: UrlFault; readonly message: string };

/** Local host that may receive webhooks, for tests and the demo. */
export interface TestTarget {
  readonly host: string;
  /** Null: any port. */
  readonly port: number | null;
  readonly range: Range;
}

/** Follows aliases; rejects if there are no addresses. Matches `dns.promises.Resolver`. */
export interface AddressResolver {
  resolve4(host: string): Promise<readonly string[]>;
  resolve6(host: string): Promise<readonly string[]>;
}

export interface VettedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** `dns`: no address, or not in time; `guard`: the address is not allowed. `message` is for the customer. */
export type ResolvedTarget =
  | { readonly ok: true; readonly addresses: readonly VettedAddress[]; readonly testTarget: boolean }
  | { readonly ok: false; readonly class: 'dns' | 'guard'; readonly reason: string; readonly message: string };

/** Allows https to a public name on port 443 or 8443, or a listed test target. Does no network access. */
export function checkUrl(text: string, targets: readonly TestTarget[]): CheckedUrl {
  const fault = faultOfText(text);
  if (fault !== null) return refused(fault);
  const url = new URL(text);
  const hostFault = testTargetOf(url, targets) === undefined ? faultOfHost(url) : null;
  return hostFault === null ? { ok: true, url } : refused(hostFault);
}

function refused(reason: UrlFault): CheckedUrl {
  return { ok: false, reason, message: SENTENCES[reason] };
}

function faultOfText(text: string): UrlFault | null {
  if (text.length > LENGTH_MAX) return 'too_long';
  if (FORBIDDEN_CHARACTER.test(text)) return 'forbidden_character';
  if (!URL.canParse(text)) return 'not_a_url';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'not_https';
  if (hasBrokenPunycode(url)) return 'not_a_url';
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return 'not_a_url';
  if (authority.includes('@')) return 'has_user_info';
  if (text.includes('#')) return 'has_fragment';
  return url.href.length > LENGTH_MAX ? 'too_long' : null;
}

function hasBrokenPunycode({ hostname }: URL): boolean {
  return domainToUnicode(hostname)
    .split('.')
    .some((label) => label.startsWith('xn--'));
}

function faultOfHost({ hostname, port }: URL): UrlFault | null {
  if (hostname.startsWith('[') || isIPv4(hostname)) return 'ip_literal';
  const labels = hostname.split('.');
  if (hostname.length > HOST_LENGTH_MAX || !labels.every((label) => LABEL.test(label))) return 'bad_host';
  if (labels.length === 1) return 'single_label';
  if (RESERVED.some((end) => hostname.endsWith(end))) return 'reserved_name';
  return PORTS.has(port) ? null : 'port_not_allowed';
}

/**
 * Parses `WEBHOOK_TEST_TARGETS`: `<host>:<port or *>=<range>[,…]`; an empty text lists none. Ranges must be within
 * `127.0.0.0/8` or be `::1/128`. Reports all faults.
 */
export function parseTestTargets(text: string): { readonly targets: readonly TestTarget[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const targets: TestTarget[] = [];
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries.filter((one) => one !== '')) {
    const [, host = '', port = '', rangeText = ''] = TEST_TARGET.exec(entry) ?? [];
    const range = parseRange(rangeText);
    if (host === '') faults.push(`${entry} is not <host>:<port or *>=<range>`);
    else if (parseAddress(host) !== null) faults.push(`${host} is an address, not a host name`);
    else if (port !== '*' && (Number(port) < 1 || Number(port) > 65_535)) faults.push(`${port} is not a port, 1..65535`);
    else if (range === null || !isLoopback(range)) faults.push(`${rangeText} is not a range of loopback addresses`);
    else targets.push({ host, port: port === '*' ? null : Number(port), range });
  }
  return { targets, faults };
}

function isLoopback({ first, bits }: Range): boolean {
  return LOOPBACK.some((loopback) => loopback !== null && bits >= loopback.bits && isWithin(first, loopback));
}

/** Faults of `WEBHOOK_TEST_TARGETS`, including its use with `NODE_ENV=production`. */
export function faultsOfTestTargets(text: string, nodeEnv: string): readonly string[] {
  const { faults } = parseTestTargets(text);
  return nodeEnv === 'production' && text.trim() !== '' ? ['must not be set in production', ...faults] : faults;
}

export function testTargetOf(url: URL, targets: readonly TestTarget[]): TestTarget | undefined {
  const port = url.port === '' ? 443 : Number(url.port);
  return targets.find((target) => target.host === url.hostname && (target.port === null || target.port === port));
}

/** Uses the system's DNS servers, ignoring the hosts file. Each query ends within `timeoutMs`. */
export function createResolver(timeoutMs: number): AddressResolver {
  return new dns.Resolver({ timeout: timeoutMs / DNS_TRIES, tries: DNS_TRIES });
}

/**
 * Resolves and vets the host of a checked URL. If any address is not globally routable, all are refused. Test targets
 * are resolved by the operating system and filtered to their range. Never rejects.
 */
export async function resolveTarget(
  url: URL,
  {
    resolver,
    targets,
    timeoutMs,
  }: { readonly resolver: AddressResolver; readonly targets: readonly TestTarget[]; readonly timeoutMs: number },
): Promise<ResolvedTarget> {
  const target = testTargetOf(url, targets);
  if (target !== undefined) return resolveTestTarget(target, timeoutMs);
  const answers = await Promise.allSettled([
    beforeDeadline(timeoutMs, resolver.resolve4(url.hostname)),
    beforeDeadline(timeoutMs, resolver.resolve6(url.hostname)),
  ]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) return noAddress();
  return addresses.every(isGloballyRoutable) ? vetted(addresses, false) : notPublic();
}

async function resolveTestTarget({ host, range }: TestTarget, timeoutMs: number): Promise<ResolvedTarget> {
  const found = await beforeDeadline(timeoutMs, dns.lookup(host, { all: true })).catch(() => []);
  if (found.length === 0) return noAddress();
  const addresses = found.flatMap(({ address }) => {
    const parsed = parseAddress(address);
    return parsed !== null && isWithin(parsed, range) ? [address] : [];
  });
  return addresses.length === 0 ? notPublic() : vetted(addresses, true);
}

function vetted(addresses: readonly string[], testTarget: boolean): ResolvedTarget {
  return { ok: true, addresses: addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 })), testTarget };
}

function noAddress(): ResolvedTarget {
  return { ok: false, class: 'dns', reason: 'no_address', message: 'The host has no DNS address record.' };
}

function notPublic(): ResolvedTarget {
  const message = 'The host has an address that is not on the public internet.';
  return { ok: false, class: 'guard', reason: 'address_not_public', message };
}
