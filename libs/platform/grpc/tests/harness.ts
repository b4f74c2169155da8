import { timeLimit, waitFor } from '@market-state/lifecycle';
import { type Logger, silentLogger } from '@market-state/logging';
import {
  type ClientOptions,
  type GrpcClient,
  bindService,
  callerTokens,
  type CallerTable,
  createClient,
  createHealth,
  type GrpcServer,
  type Health,
  type RpcIdentity,
  type ServiceHandlers,
  startGrpcServer,
  tokenIdentity,
} from '../src';
import { healthDefinition } from '../src/health';
import { echoDefinition } from './echo-service';

export type EchoHandlers = Partial<ServiceHandlers<typeof echoDefinition>>;
export type EchoClient = GrpcClient<typeof echoDefinition>;

const INSTALLATION_TOKEN = Buffer.alloc(32, 7);
export const SERVICES = ['server', 'friend', 'stranger'];

/** `friend` may call everything; `stranger` only health. */
export const CALLERS: CallerTable = Object.fromEntries([
  ...Object.values(echoDefinition).map(({ path }) => [path, ['friend']]),
  ...Object.values(healthDefinition).map(({ path }) => [path, ['friend', 'stranger']]),
]);

/** Identity of a service in the tests' installation, or in another one. */
export function identityOf(service: string, installationToken = INSTALLATION_TOKEN): RpcIdentity {
  return tokenIdentity(callerTokens(installationToken, service, SERVICES));
}

/** The tests' server as seen by `friend`. */
export const PEER = identityOf('friend').to('server');

const closing: (() => Promise<void>)[] = [];

/** Closes everything a test file opened, last first. */
export async function closeAll(): Promise<void> {
  for (let close = closing.pop(); close !== undefined; close = closing.pop()) await close();
}

export interface EchoServer {
  readonly server: GrpcServer;
  readonly health: Health;
}

/** Starts the echo service; methods without a handler echo. */
export async function startEcho(
  handlers: EchoHandlers = {},
  options: { logger?: Logger; address?: string; shutdownWaitMs?: number; identity?: RpcIdentity } = {},
): Promise<EchoServer> {
  const health = createHealth(['store']);
  const server = await startGrpcServer({
    address: options.address ?? '127.0.0.1:0',
    health,
    identity: options.identity ?? identityOf('server'),
    callers: CALLERS,
    logger: options.logger ?? silentLogger(),
    shutdownWaitMs: options.shutdownWaitMs ?? 0,
    services: [
      bindService(echoDefinition, {
        echo: async ({ text }) => ({ text }),
        echoOnce: async ({ text }) => ({ text }),
        async *repeat({ text }) {
          yield { text };
        },
        ...handlers,
      }),
    ],
  });
  closing.push(() => server.close());
  return { server, health };
}

export function connect(address: string, options: Partial<ClientOptions<typeof echoDefinition>> = {}): EchoClient {
  const client = createClient({
    definition: echoDefinition,
    address,
    peer: PEER,
    idempotent: new Set([echoDefinition.echo.path]),
    ...options,
  });
  closing.push(() => client.close());
  return client;
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** Resolves when the condition is true. @throws {Error} after 30 s */
export function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await isTrue())) throw new Error(`timed out waiting for: ${what}`);
  };
  return waitFor(what, probe, { signal: timeLimit(30_000), minDelayMs: 10, maxDelayMs: 50 });
}

/** Promise settled by the test. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
