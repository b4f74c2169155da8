import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { type AddressSigner, SIGNED_ADDRESS_HEADER } from './signed-address';

/** The caller's network address, as text. */
export type AddressReader = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** An address as it is written without the IPv6 form of IPv4 and without a zone. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.replace(/%.*$/, '');
}

/** Whether text is an IP address, or a block of them as `10.0.0.0/8`. */
export function isAddressBlock(text: string): boolean {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const family = isIP(match?.[1] ?? '');
  return family !== 0 && Number(match?.[2] ?? 0) <= (family === 6 ? 128 : 32);
}

/** Whether an address is that of a trusted proxy. */
export type ProxyCheck = (address: string) => boolean;

export function createProxyCheck(trustedProxies: readonly string[]): ProxyCheck {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (address) => isTrusted(address, 0);
}

/**
 * The caller's address is the one signed by a gateway, in calls that the MCP server makes. Otherwise it is that of the connection. Where
 * that is a trusted proxy, it is the last address of `X-Forwarded-For` that is not one; earlier entries are unverified.
 */
export function createAddressReader(trustedProxies: readonly string[], signer: Pick<AddressSigner, 'read'>): AddressReader {
  const isProxy = createProxyCheck(trustedProxies);
  return ({ headers, socket }) => {
    const signed = headers[SIGNED_ADDRESS_HEADER];
    const known = typeof signed === 'string' ? signer.read(signed) : undefined;
    if (known !== undefined) return known;
    const connection = { remoteAddress: plainAddress(socket.remoteAddress ?? '') };
    const hops = proxyAddr.all({ headers, socket: connection } as IncomingMessage, isProxy).map(plainAddress);
    // A proxy that forwards no address is itself the caller.
    const invalid = hops.findIndex((hop) => isIP(hop) === 0);
    return hops.at(invalid === -1 ? -1 : invalid - 1) ?? '';
  };
}
