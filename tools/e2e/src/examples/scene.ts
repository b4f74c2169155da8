import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { timeLimit } from '@market-state/lifecycle';
import { accountAddressOf, comesTrue, operatorOf, waitUntil } from '@market-state/testing';
import { type As, cookieOf, withKey, type Answer } from '../system/api';
import type { RunningSystem } from '../system/default-system';

export type Body = Readonly<Record<string, unknown>>;

/** A webhook receiver on this machine, with the system's certificate for local receivers. */
export interface Receiver {
  readonly url: string;
  /** Answers everything except tests with 503. */
  isBusy: boolean;
  close(): Promise<void>;
}

export async function openReceiver(dataDir: string): Promise<Receiver> {
  const file = (name: string) => readFileSync(join(dataDir, 'demo-tls', `localhost.${name}`));
  const server = createServer({ cert: file('crt'), key: file('key') }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { type } = JSON.parse(text) as { readonly type: string };
      const isRefused = receiver.isBusy && type !== 'webhook.test';
      response.writeHead(isRefused ? 503 : 200, { 'content-type': 'text/plain' });
      response.end(isRefused ? 'Busy: send it again later.' : 'Stored.');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/market-state`,
    isBusy: false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Statuses after which a call is retried: the concurrency limit is reached, or a service is busy. */
const PASSING = [429, 503, 504];

/** Time limit and interval of retries in milliseconds. */
export const AGAIN_MS = { limitMs: 180_000, everyMs: 500 };

export function isPassing(status: number): boolean {
  return PASSING.includes(status);
}

/** The symbol with a scripted market, so that something happens in it. */
export const PLAYED = 'SIMUSD-PERP';
/** The symbol of the bundled recording: an hour of history from the start. */
export const RECORDED = 'BTCUSD-PERP';

const ANSWER_MS = 60_000;
const SCOPES = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];

/** A system, a tenant, and everything created before. */
export interface Scene {
  readonly system: RunningSystem;
  readonly receiver: Receiver;
  /** Current email and password; a call may replace them. */
  email: string;
  password: string;
  readonly key: string;
  readonly asKey: As;
  asSession: As;
  /** Ids and other values of earlier answers by name. */
  readonly things: Map<string, string>;
  thing(name: string): string;
  /** An additional call as the desk, not recorded. @throws Error if the status is not 200 */
  call(method: string, path: string, body?: unknown): Promise<Body>;
  takeSession(answer: Answer): void;
  approveOrder(): Promise<void>;
  mailedToken(name: string): Promise<string>;
  close(): Promise<void>;
}

export const newPassword = (): string => `pw-${randomBytes(12).toString('base64url')}`;

/** Creates a tenant on `public_pro` with a key of every scope, and a webhook receiver. */
export async function openScene(system: RunningSystem): Promise<Scene> {
  const operator = operatorOf(system);
  const keys = createClient({
    definition: account.KeyServiceService,
    peer: system.rpc.identityOf('operator').to('account'),
    address: accountAddressOf(system),
  });
  const tenantName = `northwind-${randomBytes(2).toString('hex')}`;
  await operator.call.ensureTenant({ name: tenantName, planId: 'public_pro', renewal: account.Renewal.MONTHLY });
  const { key } = await keys.call.issueKey({ tenantName, kind: account.KeyKind.LIVE, scopes: SCOPES, expiresTsMs: 0 });
  const receiver = await openReceiver(system.dataDir);
  const things = new Map<string, string>();

  const scene: Scene = {
    system,
    receiver,
    email: `dana@${tenantName}.example`,
    password: newPassword(),
    key,
    asKey: withKey(key),
    asSession: {},
    things,
    thing(name) {
      const value = things.get(name);
      if (value === undefined) throw new Error(`No answer contained a ${name}.`);
      return value;
    },
    async call(method, path, body) {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const headers = { ...scene.asKey, 'content-type': 'application/json' };
      let response: Response | undefined;
      await comesTrue(async () => {
        response = await fetch(`${system.url}${path}`, { method, headers, body: sent, signal: timeLimit(ANSWER_MS) });
        return !isPassing(response.status);
      }, AGAIN_MS);
      const text = (await response?.text()) ?? '';
      if (response?.status !== 200) throw new Error(`${method} ${path} answers ${response?.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as Body;
    },
    takeSession(answer) {
      scene.asSession = { ...cookieOf(answer), origin: system.url, 'content-type': 'application/json' };
    },
    async approveOrder() {
      await operator.call.approveOrder({ orderId: scene.thing('order_id') });
    },
    mailedToken: (name) => waitUntil(`a mail with a ${name}`, () => tokenIn(join(system.dataDir, 'outbox'), scene.email, name)),
    async close() {
      await Promise.all([operator.close(), keys.close(), receiver.close()]);
    },
  };
  return scene;
}

function tokenIn(outbox: string, email: string, name: string): string | false {
  for (const file of readdirSync(outbox)) {
    const text = readFileSync(join(outbox, file), 'utf8');
    const token = new RegExp(`${name}=([\\w-]{43})`).exec(text)?.[1];
    if (token !== undefined && text.includes(email)) return token;
  }
  return false;
}
