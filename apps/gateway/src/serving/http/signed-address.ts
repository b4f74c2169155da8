import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header by which the MCP server passes on the signed address of the caller it calls for. */
export const SIGNED_ADDRESS_HEADER = 'x-market-state-signed-address';

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
