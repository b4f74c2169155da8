import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { account, CALLERS, createMessage } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { createLogger } from '@market-state/logging';
import { openRpcAccess } from '../src/rpc-access';
import { obtainKey } from '../src/system/demo-key';
import { newFolder, removeFolders } from './fixtures/placeholder-system';

const folder = newFolder();
const rpc = openRpcAccess(folder, undefined);
const good = new Set<string>();
const tenants: string[] = [];
let server: GrpcServer;

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not offered here.'));

function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

beforeAll(async () => {
  const keys = only(account.KeyServiceService, {
    async issueKey({ tenantName }: account.IssueKeyRequest) {
      expect(tenants).toContain(tenantName);
      const key = `msk_live_${randomBytes(23).toString('hex')}`;
      good.add(digestOf(key));
      return { key };
    },
    verifyKey: async ({ keyDigest }: account.VerifyKeyRequest) => ({
      grant: good.has(Buffer.from(keyDigest).toString('hex')) ? createMessage(account.KeyGrant) : undefined,
    }),
  });
  const operator = only(account.OperatorServiceService, {
    async ensureTenant({ name, renewal }: account.EnsureTenantRequest) {
      expect(renewal).toBe(account.Renewal.DAILY);
      tenants.push(name);
      return {};
    },
  });
  server = await startGrpcServer({
    identity: rpc.identityOf('account'),
    callers: CALLERS,
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: createLogger('account', { level: 'silent' }),
    shutdownWaitMs: 0,
    services: [bindService(account.KeyServiceService, keys), bindService(account.OperatorServiceService, operator)],
  });
});
afterAll(async () => {
  await server.close();
  removeFolders();
});

test('the demo key is reused while it is valid, and replaced otherwise', async () => {
  const file = join(folder, 'demo-key');
  const obtain = () => obtainKey(server.address, rpc.identityOf('launcher'), file);
  const first = await obtain();
  expect(first).toMatch(/^msk_live_[0-9A-Za-z]{46}$/);
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await obtain()).toBe(first);

  good.clear();
  const second = await obtain();
  expect(second).not.toBe(first);
  expect(await obtain()).toBe(second);

  writeFileSync(file, `${second.slice(0, -1)}\n`);
  const third = await obtain();
  expect(third).not.toBe(second);
  expect(readFileSync(file, 'utf8')).toBe(`${third}\n`);
});
