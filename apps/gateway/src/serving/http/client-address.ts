import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { createHmac, timingSafeEqual } from 'node:crypto';
import proxyAddr from 'proxy-addr';

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

/** IPv4 as is, IPv6 by /64. */
export function addressBlock(address: string): string {
  return isIPv6(address)
    ? `${groupsOf(address)
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`
    : address;
}

/** Set by the MCP server. */
const SIGNED_ADDRESS_HEADER = 'x-market-state-signed-address';

const LIFE_MS = 60_000;

const SHAPE = /^([\da-f.:]{2,45})\/(\d{1,16})\/([\w-]{43})$/i;

/** For calls that the MCP server makes on behalf of a caller. */
export interface AddressSigner {
  sign(address: string): string;
  /** Undefined if forged or expired. */
  read(signed: string): string | undefined;
}

export function createAddressSigner(secret: string, now: () => number): AddressSigner {
  const macOf = (address: string, expiresMs: number): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['caller address', address, expiresMs]))
      .digest();
  return {
    sign(address) {
      const expiresMs = now() + LIFE_MS;
      return `${address}/${expiresMs}/${macOf(address, expiresMs).toString('base64url')}`;
    },
    read(signed) {
      const [, address = '', expires = '', mac = ''] = SHAPE.exec(signed) ?? [];
      const expiresMs = Number(expires);
      if (address === '' || now() >= expiresMs) return undefined;
      return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(address, expiresMs)) ? address : undefined;
    },
  };
}

export type AddressReader = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** Strips the IPv4-mapped prefix and the zone. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address.replace(/%.*$/, '');
}

export function isAddressBlock(text: string): boolean {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const family = isIP(match?.[1] ?? '');
  return family !== 0 && Number(match?.[2] ?? 0) <= (family === 6 ? 128 : 32);
}

export type ProxyCheck = (address: string) => boolean;

export function createProxyCheck(trustedProxies: readonly string[]): ProxyCheck {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (address) => isTrusted(address, 0);
}

/**
 * From the MCP server, the signed address. Behind trusted proxies, the last untrusted address of `X-Forwarded-For`;
 * earlier entries are unverified.
 */
export function createAddressReader(trustedProxies: readonly string[], signer: Pick<AddressSigner, 'read'>): AddressReader {
  const isProxy = createProxyCheck(trustedProxies);
  return ({ headers, socket }) => {
    const signed = headers[SIGNED_ADDRESS_HEADER];
    const known = typeof signed === 'string' ? signer.read(signed) : undefined;
    if (known !== undefined) return known;
    const connection = { remoteAddress: plainAddress(socket.remoteAddress ?? '') };
    const hops = proxyAddr.all({ headers, socket: connection } as IncomingMessage, isProxy).map(plainAddress);
    // A proxy that forwards no address counts as the caller.
    const invalid = hops.findIndex((hop) => isIP(hop) === 0);
    return hops.at(invalid === -1 ? -1 : invalid - 1) ?? '';
  };
}
