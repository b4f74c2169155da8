import { isIPv4 } from 'node:net';

/**
 * Whether a `host:port`, with or without a scheme such as `dns:///` before it, is a literal address of this machine. A name is not: it
 * may lead elsewhere.
 */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^[a-z0-9]+:\/+/, '');
  const host = plain.slice(0, plain.lastIndexOf(':'));
  return host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
