import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Names a feed by the address that it serves (`host:port`), and so those that run in its place before and after it, on one machine or in
 * one pod: no two processes of a host have an address at once. One that takes any free port (0) is named for itself.
 */
export function holderOf(grpcAddress: string): string {
  return grpcAddress.endsWith(':0') ? `${hostname()} ${process.pid}-${randomUUID()}` : `${hostname()} ${grpcAddress}`;
}
