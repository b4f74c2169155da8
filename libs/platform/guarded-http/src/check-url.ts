import { isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type TestTarget, testTargetOf } from './test-targets';

const LENGTH_MAX = 2_048;
const HOST_LENGTH_MAX = 253;
const PORTS = new Set(['', '8443']);
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const RESERVED = ['.localhost', '.internal', '.local', '.onion'];
/** What the parser would drop or read as `/`. */
const FORBIDDEN_CHARACTER = /[\0-\x20\x7f\\]/;
const AUTHORITY = /^https:\/\/([^/?#]+)/i;

/** Why a URL is refused, and for each a sentence for its owner. */
const SENTENCES = {
  too_long: `The URL is longer than ${LENGTH_MAX} characters.`,
  forbidden_character: 'The URL contains a blank, a control character or a backslash.',
  not_a_url: 'This is not a URL of the form https://host/path.',
  not_https: 'The URL must begin with https://.',
  has_user_info: 'The URL must not contain a user name or password.',
  has_fragment: 'The URL must not contain a fragment (#).',
  ip_literal: 'The host must be a name, not an IP address.',
  bad_host: 'The host is not a valid DNS name.',
  single_label: 'The host must be a full name with a dot, such as hooks.example.com.',
  reserved_name: 'The host has a name that is reserved for private networks.',
  port_not_allowed: 'The port must be 443 or 8443.',
};

/** A stable word. */
export type UrlFault = keyof typeof SENTENCES;

/** `url` as it is to be stored and sent to. */
export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: UrlFault; readonly message: string };

/**
 * Whether a customer's URL may be sent to as far as its text says: https to a public name, port 443 or 8443. `message` is a sentence for
 * the customer. A listed test target may have any name and the ports listed for it. Opens nothing and asks nobody.
 */
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

/** Node's URL accepts such labels, which no name server knows. */
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
