import { readFileSync } from 'node:fs';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from '@market-state/config';
import type { RpcIdentity } from './identity';

/** Just enough to call as itself and to identify callers. */
interface CallerTokens {
  readonly service: string;
  /** Derives the key shared with each server. */
  readonly key: Buffer;
  /** Keys shared with each caller. */
  readonly callers: ReadonlyMap<string, Buffer>;
}

const KEY_BYTES = 32;
/** Accepted one period before and after, for clock skew. */
const PROOF_MS = 30_000;
const SLOTS_TAKEN = [0, -1, 1] as const;

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function keyOf(installationToken: Buffer, service: string): Buffer {
  return hmac(installationToken, `market-state rpc key ${service}`);
}

function sharedKey(key: Buffer, server: string): Buffer {
  return hmac(key, `market-state rpc call ${server}`);
}

function proofOf(shared: Buffer, path: string, slot: number): Buffer {
  return hmac(shared, `${path}\n${slot}`);
}

/**
 * No key is ever sent: a proof derives from the key shared with one server, for one method and half a minute.
 * @throws {RangeError} if the installation's token is under 32 bytes
 */
export function callerTokens(installationToken: Buffer, service: string, services: readonly string[]): CallerTokens {
  if (installationToken.length < KEY_BYTES) throw new RangeError(`The installation token must have at least ${KEY_BYTES} bytes.`);
  const callers = services.map((caller): [string, Buffer] => [caller, sharedKey(keyOf(installationToken, caller), service)]);
  return { service, key: keyOf(installationToken, service), callers: new Map(callers) };
}

export function callerFileText({ service, key, callers }: CallerTokens): string {
  const shared = Object.fromEntries([...callers].map(([caller, bytes]) => [caller, bytes.toString('base64url')]));
  return `${JSON.stringify({ service, key: key.toString('base64url'), callers: shared }, null, 2)}\n`;
}

/** @throws {Error} */
function parseCallerFile(text: string): CallerTokens {
  const { service, key, callers } = parseObject(text);
  if (typeof service !== 'string' || typeof key !== 'string' || typeof callers !== 'object' || callers === null) throw notOurs();
  return { service, key: bytesOf(key), callers: new Map(Object.entries(callers).map(([caller, shared]) => [caller, bytesOf(shared)])) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The text may be secret.
  }
  throw notOurs();
}

function bytesOf(text: unknown): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES) throw notOurs();
  return bytes;
}

function notOurs(): Error {
  return new Error('is not a file of caller tokens');
}

const SCHEME = /^Bearer ([a-z][a-z0-9-]{0,63})\.([0-9A-Za-z_-]{43})$/;

/** Cached while valid. */
function callerHeaders({ service, key }: CallerTokens, server: string): (path: string, nowMs: number) => string {
  const shared = sharedKey(key, server);
  const made = new Map<string, { readonly slot: number; readonly header: string }>();
  return (path, nowMs) => {
    const slot = Math.floor(nowMs / PROOF_MS);
    const known = made.get(path);
    if (known?.slot === slot) return known.header;
    const header = `Bearer ${service}.${proofOf(shared, path, slot).toString('base64url')}`;
    made.set(path, { slot, header });
    return header;
  };
}

/** Proofs of the current period are computed once per caller and method that has called. */
function headerReader({ callers }: CallerTokens): (header: string, path: string, nowMs: number) => string | undefined {
  const proven = new Map<string, { readonly slot: number; readonly proof: Buffer }>();
  return (header, path, nowMs) => {
    const [, caller = '', text = ''] = SCHEME.exec(header) ?? [];
    const shared = callers.get(caller);
    if (shared === undefined) return undefined;
    const proof = Buffer.from(text, 'base64url');
    const now = Math.floor(nowMs / PROOF_MS);
    const place = `${caller} ${path}`;
    const known = proven.get(place);
    if (known?.slot === now && timingSafeEqual(proof, known.proof)) return caller;
    const slot = SLOTS_TAKEN.map((offset) => now + offset).find((taken) => timingSafeEqual(proof, proofOf(shared, path, taken)));
    if (slot === now) proven.set(place, { slot, proof });
    return slot === undefined ? undefined : caller;
  };
}

const HEADER = 'authorization';

/** For loopback. */
export function tokenIdentity(tokens: CallerTokens, now: () => number = Date.now): RpcIdentity {
  const callerOfHeader = headerReader(tokens);
  return {
    service: tokens.service,
    serverCredentials: () => ServerCredentials.createInsecure(),
    callerOf({ metadata, path }) {
      const [header] = metadata.get(HEADER);
      metadata.remove(HEADER);
      return typeof header === 'string' ? callerOfHeader(header, path, now()) : undefined;
    },
    to(service) {
      const headerFor = callerHeaders(tokens, service);
      return {
        channel: () => ({ credentials: credentials.createInsecure(), options: {} }),
        prove: (metadata, path) => metadata.set(HEADER, headerFor(path, now())),
        onReplaced: () => () => undefined,
      };
    },
    close: () => undefined,
  };
}

/** @throws {ConfigError} if unreadable or another service's */
export function readTokenFile(service: string, file: string): CallerTokens {
  const fault = (message: string): ConfigError => new ConfigError([{ variable: 'RPC_TOKEN_FILE', message }]);
  let tokens: CallerTokens;
  try {
    tokens = parseCallerFile(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw fault(code === undefined ? message : `cannot be read: ${code}`);
  }
  if (tokens.service !== service) throw fault(`is the file of ${tokens.service}, not of ${service}`);
  return tokens;
}
