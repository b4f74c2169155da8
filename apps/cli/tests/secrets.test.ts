import { webhook } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testRpcSettings, testServing } from '@market-state/testing';
import { createWorkplace, run } from './run';

const place = createWorkplace();
let server: GrpcServer;
let answer: webhook.ResealSecretsResponse = { keyId: 'k2', resealed: 1_203, unreadable: 0 };

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not offered here.'));

beforeAll(async () => {
  const definition = webhook.EndpointServiceService;
  const handlers = { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), resealSecrets: async () => answer };
  server = await startGrpcServer({
    ...testServing('webhook'),
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [bindService(definition, handlers as never)],
  });
});
afterAll(async () => {
  await server.close();
  place.remove();
});

const reseal = (address: string) =>
  run(['secrets', 'reseal', '--webhook', address], place.folder, undefined, { rpc: testRpcSettings('operator') });

test('an operator has all secrets re-encrypted', async () => {
  const { exitCode, stdout } = await reseal(server.address);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1,203 secrets re-encrypted with key k2: the other keys can be removed.\n' });
});

test('a secret that cannot be decrypted is reported, with code 1', async () => {
  answer = { keyId: 'k2', resealed: 1, unreadable: 2 };
  const { exitCode, stdout, stderr } = await reseal(server.address);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '1 secret re-encrypted with key k2; 2 secrets could not be decrypted.\n' });
  expect(stderr).toContain('rotate the secret');
});

test('only an operator is served, and without a service it ends with 3', async () => {
  const asGateway = await run(['secrets', 'reseal', '--webhook', server.address], place.folder, undefined, {
    rpc: testRpcSettings('gateway'),
  });
  expect(asGateway.exitCode).toBe(2);
  expect((await reseal('127.0.0.1:1')).exitCode).toBe(3);
  expect((await place.run('secrets', 'reseal')).exitCode).toBe(3);
});
