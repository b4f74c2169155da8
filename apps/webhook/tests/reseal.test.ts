import { randomBytes } from 'node:crypto';
import { silentLogger } from '@market-state/logging';
import { openSecret, sealSecret } from '@market-state/webhook-signing';
import { createSecrets } from '../src/endpoints/secrets';
import { type HooksUnderTest, KEYS, startHooksUnderTest } from './hooks-under-test';

const OLD = { id: 'k0', key: randomBytes(32) };
const [FIRST] = KEYS;

let test: HooksUnderTest;

beforeAll(async () => {
  test = await startHooksUnderTest(silentLogger());
});

afterAll(() => test?.close());

const sealedOf = async (endpointId: string): Promise<string> =>
  (await test.pool.query<{ sealed: string }>('SELECT sealed FROM endpoint_secret WHERE endpoint_id = $1', [endpointId])).rows[0]?.sealed ??
  '';

/** Seals an endpoint's secret with the old key. */
async function sealOld(endpointId: string, secret: string): Promise<void> {
  const sealed = sealSecret(secret, { keys: [OLD], endpointId, nonce: randomBytes(12) });
  await test.pool.query('UPDATE endpoint_secret SET sealed = $2 WHERE endpoint_id = $1', [endpointId, sealed]);
}

it('seals all secrets with the first key, two at once do it once, and what no key opens stays as it is', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => test.create({ tenantId: 'ten_reseal' })));
  for (const { endpointId, secret } of made) await sealOld(endpointId, secret);
  const [broken = { endpointId: '', secret: '' }, ...whole] = made;
  const flipped = (await sealedOf(broken.endpointId)).replace(/:(.)/, (_all, first: string) => `:${first === 'A' ? 'B' : 'A'}`);
  await test.pool.query('UPDATE endpoint_secret SET sealed = $2 WHERE endpoint_id = $1', [broken.endpointId, flipped]);

  const service = createSecrets([...KEYS, OLD]);
  const both = await Promise.all([service.resealAll(test.pool), service.resealAll(test.pool)]);
  expect(both.map(({ resealed }) => resealed).reduce((sum, each) => sum + each)).toBe(whole.length);
  expect(both.map(({ keyId, unreadable }) => [keyId, unreadable])).toEqual([
    [FIRST?.id, 1],
    [FIRST?.id, 1],
  ]);
  for (const { endpointId, secret } of whole) expect(openSecret(await sealedOf(endpointId), { keys: KEYS, endpointId })).toBe(secret);
  expect(await sealedOf(broken.endpointId)).toBe(flipped);
  expect(await service.resealAll(test.pool)).toEqual({ keyId: FIRST?.id, resealed: 0, unreadable: 1 });
});

it('seals more than a batch, each once', async () => {
  await test.pool.query('DELETE FROM endpoint_secret');
  const { endpointId, secret } = await test.create();
  const rows = Array.from({ length: 1_203 }, (_, number) => [
    `whk_${number}`,
    sealSecret(secret, { keys: [OLD], endpointId, nonce: randomBytes(12) }),
  ]);
  await test.pool.query(
    'INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms) SELECT id, $3, sealed, 1 FROM unnest($1::text[], $2::text[]) AS s (id, sealed)',
    [rows.map(([id]) => id), rows.map(([, sealed]) => sealed), endpointId],
  );
  expect(await createSecrets([...KEYS, OLD]).resealAll(test.pool)).toEqual({ keyId: FIRST?.id, resealed: 1_203, unreadable: 0 });
});

it('answers operators how many were sealed, and what cannot be opened', async () => {
  await test.pool.query('DELETE FROM endpoint_secret');
  const { endpointId, secret } = await test.create();
  expect(await test.endpoints.resealSecrets({})).toEqual({ keyId: FIRST?.id, resealed: 0, unreadable: 0 });
  await sealOld(endpointId, secret);
  expect(await test.endpoints.resealSecrets({})).toEqual({ keyId: FIRST?.id, resealed: 0, unreadable: 1 });
});
