import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What one process knows of its installation's tokens: enough to call as itself and to tell who calls it, and no more. */
export interface CallerTokens {
  readonly service: string;
  /** Of which its token for each server is made. */
  readonly key: Buffer;
  /** SHA-256 of the token that each caller presents to this service. */
  readonly digests: ReadonlyMap<string, Buffer>;
}

const KEY_BYTES = 32;
const UNKNOWN_DIGEST = Buffer.alloc(KEY_BYTES);

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function keyOf(installationToken: Buffer, service: string): Buffer {
  return hmac(installationToken, `market-state rpc key ${service}`);
}

function tokenFor(key: Buffer, server: string): Buffer {
  return hmac(key, `market-state rpc call ${server}`);
}

function digestOf(token: Buffer): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * What `service` may know in an installation with this token and these services. The token that a caller presents is made for one server
 * alone, so that a program which listens in a server's stead learns nothing that opens another.
 * @throws RangeError when the installation's token is under 32 bytes
 */
export function callerTokens(installationToken: Buffer, service: string, services: readonly string[]): CallerTokens {
  if (installationToken.length < KEY_BYTES) throw new RangeError(`The token of an installation has at least ${KEY_BYTES} bytes.`);
  const digests = services.map((caller): [string, Buffer] => [caller, digestOf(tokenFor(keyOf(installationToken, caller), service))]);
  return { service, key: keyOf(installationToken, service), digests: new Map(digests) };
}

/** The text of the file that `RPC_TOKEN_FILE` names, for one process alone. */
export function callerFileText({ service, key, digests }: CallerTokens): string {
  const callers = Object.fromEntries([...digests].map(([caller, digest]) => [caller, digest.toString('base64url')]));
  return `${JSON.stringify({ service, key: key.toString('base64url'), callers }, null, 2)}\n`;
}

/** @throws Error in a sentence when the text is not what `callerFileText` makes */
export function parseCallerFile(text: string): CallerTokens {
  const { service, key, callers } = parseObject(text);
  if (typeof service !== 'string' || typeof key !== 'string' || typeof callers !== 'object' || callers === null) throw notOurs();
  return { service, key: bytesOf(key), digests: new Map(Object.entries(callers).map(([caller, digest]) => [caller, bytesOf(digest)])) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Its text may be a secret: nothing of it is repeated.
  }
  throw notOurs();
}

function bytesOf(text: unknown): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : UNKNOWN_DIGEST.subarray(1);
  if (bytes.length !== KEY_BYTES) throw notOurs();
  return bytes;
}

function notOurs(): Error {
  return new Error('is not a file of caller tokens');
}

const SCHEME = /^Bearer ([a-z][a-z0-9-]{0,63})\.([0-9A-Za-z_-]{43})$/;

/** The header with which a process calls `server`. */
export function callerHeader({ service, key }: CallerTokens, server: string): string {
  return `Bearer ${service}.${tokenFor(key, server).toString('base64url')}`;
}

/** The caller that a header proves, in the same time for every wrong one; undefined when it proves none. */
export function callerOfHeader({ digests }: CallerTokens, header: string): string | undefined {
  const [, caller = '', token = ''] = SCHEME.exec(header) ?? [];
  const expected = digests.get(caller) ?? UNKNOWN_DIGEST;
  const isGood = timingSafeEqual(digestOf(Buffer.from(token, 'base64url')), expected);
  return isGood ? caller : undefined;
}
