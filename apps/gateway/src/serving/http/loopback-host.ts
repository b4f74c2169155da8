import { isIPv4 } from 'node:net';

/** Whether a host name means this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
}
