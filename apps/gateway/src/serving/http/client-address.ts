import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { createHmac, timingSafeEqual } from 'node:crypto';
import proxyAddr from 'proxy-addr';

/** The eight groups of an IPv6 address, as numbers. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const before = parse(head);
  if (tail === undefined) return before;
  const after = parse(tail);
  return [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

/** What a caller without a key is counted by: the IPv4 address, or the first 64 bits of the IPv6 address. */
export function addressBlock(address: string): string {
  return isIPv6(address)
    ? `${groupsOf(address)
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`
    : address;
}

/** Header by which the MCP server passes on the signed address of the caller it calls for. */
const SIGNED_ADDRESS_HEADER = 'x-market-state-signed-address';

/** A signed address is valid for longer than an agent's message may take, milliseconds. */
const LIFE_MS = 60_000;

const SHAPE = /^([\da-f.:]{2,45})\/(\d{1,16})\/([\w-]{43})$/i;

/** Signs callers' addresses for the MCP server, and reads them in the calls that it makes for those callers. */
export interface AddressSigner {
  sign(address: string): string;
  /** The address; undefined if no gateway with this secret signed it, or it has expired. */
  read(signed: string): string | undefined;
}

/** @param secret the same at every gateway */
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
