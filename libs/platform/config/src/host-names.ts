import { isIP, isIPv4 } from 'node:net';

const AUTHORITY = /^(\[[\da-f:.]+\]|[^\s:[\]@/]+)(?::\d{0,5})?$/i;
/** Suffixes without public DNS: Kubernetes names and those reserved for private networks. */
const PRIVATE_SUFFIX = /\.(?:svc|local|internal)$/;

/** Host of `host` or `host:port`, lower case, without a trailing dot; undefined for any other text. */
export function hostNameOf(authority: string): string | undefined {
  const name = AUTHORITY.exec(authority)?.[1]?.toLowerCase();
  return name?.endsWith('.') === true ? name.slice(0, -1) : name;
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}

/**
 * IP addresses, and names that only private networks resolve, such as `account.market-state.svc.cluster.local`: no web page can have such a
 * host, which guards against DNS rebinding.
 */
export function isPrivateHost(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0 || !host.includes('.') || PRIVATE_SUFFIX.test(host);
}

/** Literal loopback `host:port`, optionally with a scheme such as `dns:///`. Names may resolve elsewhere. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^[a-z0-9]+:\/+/, '');
  const host = plain.slice(0, plain.lastIndexOf(':'));
  return host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
