import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { Pool } from 'pg';
import { createClaimToken } from '../src/accounts/claim-tokens';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

const password = `canary ${randomBytes(9).toString('hex')}`;
const newPassword = `canary ${randomBytes(9).toString('hex')}`;
const address = '203.0.113.1';

let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

async function dump(): Promise<string> {
  const tables = await service.sql<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(10);
  const rows: string[] = [];
  for (const { name } of tables)
    rows.push(...(await service.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)).map(({ row }) => row));
  return rows.join('\n');
}

/** Creates every kind of secret and uses each in every way. */
async function makeSecrets(): Promise<string[]> {
  const scopes = [account.Scope.READ, account.Scope.ACCOUNT];
  const issued = await service.client.call.issueKey({ ...orderFor('canaries'), scopes });
  const created = await service.client.call.createKey({
    tenantId: issued.tenantId,
    name: 'canary',
    kind: account.KeyKind.LIVE,
    scopes,
    expiresTsMs: 0,
  });
  const rotated = await service.client.call.rotateKey({ tenantId: issued.tenantId, keyId: issued.keyId, overlapMs: 1_000_000 });
  const sandbox = await service.client.call.issueSandboxKey({ address });
  const keys = [issued.key, created.key, rotated.key, sandbox.key];
  for (const key of keys) await service.verify(key);

  const pool = new Pool({ connectionString: service.stores.postgresUrl('account'), max: 1 });
  const token = await createClaimToken(pool, issued.tenantId, { clock: Date.now, randomBytes });
  const unused = await createClaimToken(pool, issued.tenantId, { clock: Date.now, randomBytes });
  await pool.end();
  const tokens = [token?.claimToken ?? '', unused?.claimToken ?? ''];
  const email = 'yellow@birds.example';
  const byKey = await service.accounts.call.claim({ email: 'other@birds.example', password, apiKey: issued.key, claimToken: '', address });
  const byToken = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: tokens[0] ?? '', address });
  await service.accounts.call.claim({ email, password, apiKey: created.key, claimToken: '', address }).catch(() => undefined);
  const login = await service.accounts.call.login({ email, password, address });
  await service.accounts.call.login({ email, password: `${password}!`, address }).catch(() => undefined);
  await service.accounts.call.requestPasswordReset({ email, address });
  const name = await waitUntil('the mail', () => readdirSync(service.outbox).find((file) => file.endsWith('.eml')));
  const resetToken = /reset_token=([0-9A-Za-z_-]{43})/.exec(readFileSync(join(service.outbox, name), 'utf8'))?.[1] ?? '';
  await service.accounts.call.confirmPasswordReset({ resetToken, newPassword: 'short', address }).catch(() => undefined);
  await service.accounts.call.confirmPasswordReset({ resetToken, newPassword, address });
  await service.accounts.call.requestPasswordReset({ email, address });
  const sessions = [byKey, byToken, login].map(({ opened }) => opened?.session ?? '');
  return [password, newPassword, resetToken, ...tokens, ...sessions, ...keys];
}

test('no key, password, token or session is in the database, in a log line or in a metric, in any spelling', async () => {
  const secrets = await makeSecrets();
  expect(secrets.every((secret) => secret.length >= 20)).toBe(true);
  const metrics = await (await fetch(`http://127.0.0.1:${service.server.opsPort}/metrics`)).text();
  const places = { database: await dump(), log: service.lines.join(''), metrics };
  expect(places.database).toContain('yellow@birds.example');
  expect(places.log).toContain('password reset');
  for (const [place, text] of Object.entries(places)) {
    const found = secrets.flatMap((secret) => spellings(secret).filter((spelling) => text.includes(spelling)));
    expect({ place, found }).toEqual({ place, found: [] });
  }
});

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const raw = Buffer.from(secret, 'base64url');
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ...(raw.length === 32 ? [raw.toString('hex'), raw.toString('base64')] : []),
  ];
}
