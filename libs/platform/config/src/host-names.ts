import { isIP, isIPv4 } from 'node:net';

const AUTHORITY = /^(\[[\da-f:.]+\]|[^\s:[\]@/]+)(?::\d{0,5})?$/i;
/** Top-level names that no public name server has: those of Kubernetes, and those reserved for private networks. */
const PRIVATE_SUFFIX = /\.(?:svc|local|internal)$/;

/** The host of `host` or `host:port`, lower case, without the dot of the root at its end; undefined where the text is neither. */
export function hostNameOf(authority: string): string | undefined {
  const name = AUTHORITY.exec(authority)?.[1]?.toLowerCase();
  return name?.endsWith('.') === true ? name.slice(0, -1) : name;
}

/** Returns true for loopback host names. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}

/**
 * Returns true for host names that no web page on the internet can have: an IP address, or a name that only a private network resolves,
 * such as `account` or `account.market-state.svc.cluster.local`. A page under such a name could read answers once the name leads here.
 */
export function isPrivateHost(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0 || !host.includes('.') || PRIVATE_SUFFIX.test(host);
}

/**
 * Whether a `host:port`, with or without a scheme such as `dns:///` before it, is a literal address of this machine. A name is not: it
 * may lead elsewhere.
 */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^[a-z0-9]+:\/+/, '');
  const host = plain.slice(0, plain.lastIndexOf(':'));
  return host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
