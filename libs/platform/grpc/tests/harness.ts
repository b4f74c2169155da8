import { type Logger, silentLogger } from '@market-state/logging';
import type { ClientOptions, GrpcClient } from '../src';
import { bindService, createClient, createHealth, type GrpcServer, type Health, type ServiceHandlers, startGrpcServer } from '../src';
import { echoDefinition } from './echo-service';

export type EchoHandlers = Partial<ServiceHandlers<typeof echoDefinition>>;
export type EchoClient = GrpcClient<typeof echoDefinition>;

const closing: (() => Promise<void>)[] = [];

/** Closes everything that the tests of a file opened, last first. */
export async function closeAll(): Promise<void> {
  for (let close = closing.pop(); close !== undefined; close = closing.pop()) await close();
}

export interface EchoServer {
  readonly server: GrpcServer;
  readonly health: Health;
}

/** Starts the echo service; methods not given echo. */
export async function startEcho(handlers: EchoHandlers = {}, options: { logger?: Logger; address?: string; shutdownWaitMs?: number } = {}): Promise<EchoServer> {
  const health = createHealth(['store']);
  const server = await startGrpcServer({
    address: options.address ?? '127.0.0.1:0',
    health,
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
  const client = createClient({ definition: echoDefinition, address, idempotent: ['echo'], ...options });
  closing.push(() => client.close());
  return client;
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** A promise that the test settles. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
