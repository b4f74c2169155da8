import { soldPlans } from '@market-state/pricing';
import { operationById, operations } from '../src/serving/openapi/operations';
import type { FaultItem } from '../src/serving/errors/problem';
import { createMarketNames } from '../src/serving/validation/market-names';
import { createRequestValidator } from '../src/serving/validation/request-validator';

const names = createMarketNames({ served: () => [], venues: async () => [] });
const validator = createRequestValidator({ symbols: () => [], knownToMs: () => Date.now() }, names);
const text = (length: number): string => 'a'.repeat(length);

/** Location and type of every fault of a body, in any order. */
async function faultsOf(operationId: string, body: unknown): Promise<[string, string][]> {
  const operation = operationById(operationId);
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const path = Object.fromEntries(inPath.map(({ name }) => [name, 'key_1']));
  const validation = await validator.validate(operation, { rawQuery: '', path, headers: {}, body: structuredClone(body) });
  const faults: readonly FaultItem[] = validation.ok ? [] : validation.faults;
  for (const { msg } of faults) expect(msg).not.toBe('');
  return faults.map(({ loc, type }): [string, string] => [loc.join('.'), type]).sort();
}

const CLAIM = { email: 'a@b.c', password: text(12) };
const CONFIRM = { reset_token: text(20), new_password: text(12) };
const KEY = { name: 'n', scopes: ['read'] };

/** Operation, valid body, field, minimum and maximum length; null without a limit. */
const LENGTHS: readonly [string, Readonly<Record<string, unknown>>, string, number, number | null][] = [
  ['claimAccount', CLAIM, 'email', 3, 254],
  ['claimAccount', CLAIM, 'password', 12, 256],
  ['claimAccount', CLAIM, 'api_key', 0, 512],
  ['claimAccount', CLAIM, 'claim_token', 0, 512],
  ['logIn', { email: 'a@b.c', password: 'x' }, 'email', 3, 254],
  ['logIn', { email: 'a@b.c', password: 'x' }, 'password', 1, 256],
  ['finishOidcLogin', { query: 'x' }, 'query', 1, 8_192],
  ['requestPasswordReset', { email: 'a@b.c' }, 'email', 3, 254],
  ['confirmPasswordReset', CONFIRM, 'reset_token', 20, 512],
  ['confirmPasswordReset', CONFIRM, 'new_password', 12, 256],
  ['requestEmailChange', { new_email: 'a@b.c', current_password: 'x' }, 'new_email', 3, 254],
  ['requestEmailChange', { new_email: 'a@b.c', current_password: 'x' }, 'current_password', 1, 256],
  ['confirmEmailChange', { code: text(20) }, 'code', 20, 512],
  ['beginSecondFactor', { current_password: 'x' }, 'current_password', 1, 256],
  ['confirmSecondFactor', { code: text(6) }, 'code', 6, 64],
  ['disableSecondFactor', { current_password: 'x', code: text(6) }, 'code', 6, 64],
  ['createRecoveryCodes', { current_password: 'x', code: text(6) }, 'code', 6, 64],
  ['createInvitation', { email: 'a@b.c', role: 'owner' }, 'email', 3, 254],
  ['acceptInvitation', { invitation_token: text(20), password: text(12) }, 'invitation_token', 20, 512],
  ['acceptInvitation', { invitation_token: text(20), password: text(12) }, 'password', 12, 256],
  ['createKey', KEY, 'name', 1, 100],
  ['updateKey', {}, 'name', 1, 100],
  ['openBillingPortal', {}, 'return_url', 0, null],
];

describe.each(LENGTHS)('%s %j: %s', (operationId, good, field, least, greatest) => {
  const of = (length: number): Promise<[string, string][]> => faultsOf(operationId, { ...good, [field]: text(length) });

  it('is taken at its bounds and refused beyond', async () => {
    expect(await of(least)).toEqual([]);
    if (least > 0) expect(await of(least - 1)).toEqual([[`body.${field}`, 'minLength']]);
    expect(await of(greatest ?? 2_000)).toEqual([]);
    if (greatest !== null) expect(await of(greatest + 1)).toEqual([[`body.${field}`, 'maxLength']]);
  });

  it.each([null, 1, true, ['a'], {}])('is not %j', async (value) => {
    expect(await faultsOf(operationId, { ...good, [field]: value })).toEqual([[`body.${field}`, 'type']]);
  });
});

it('counts characters, not bytes or halves of them', async () => {
  expect(await faultsOf('claimAccount', { ...CLAIM, password: '🔑'.repeat(256) })).toEqual([]);
  expect(await faultsOf('claimAccount', { ...CLAIM, password: '🔑'.repeat(11) })).toEqual([['body.password', 'minLength']]);
});

describe.each([
  ['claimAccount', CLAIM],
  ['logIn', { email: 'a@b.c', password: 'x' }],
  ['requestPasswordReset', { email: 'a@b.c' }],
  ['confirmPasswordReset', CONFIRM],
  ['createCheckoutSession', { plan_id: 'topup' }],
  ['createKey', KEY],
] as const)('%s', (operationId, good) => {
  it('is taken with its required fields alone', async () => {
    expect(await faultsOf(operationId, good)).toEqual([]);
  });

  it.each(Object.keys(good))('is refused without %s', async (field) => {
    expect(await faultsOf(operationId, { ...good, [field]: undefined })).toEqual([[`body.${field}`, 'required']]);
  });

  it('is refused without a body, and with one that is no object', async () => {
    expect((await faultsOf(operationId, undefined)).map(([place]) => place)).toEqual(['body']);
    for (const body of [null, [], 'x', 1]) expect(await faultsOf(operationId, body)).toEqual([['body', 'type']]);
  });

  it('names every missing field at once', async () => {
    expect(await faultsOf(operationId, {})).toEqual(
      Object.keys(good)
        .map((field): [string, string] => [`body.${field}`, 'required'])
        .sort(),
    );
  });
});

describe('further properties', () => {
  it.each([
    ['claimAccount', CLAIM],
    ['logIn', { email: 'a@b.c', password: 'x' }],
    ['requestPasswordReset', { email: 'a@b.c' }],
    ['confirmPasswordReset', CONFIRM],
    ['openBillingPortal', {}],
    ['createKey', KEY],
    ['updateKey', { name: 'n' }],
  ] as const)('are refused by %s, each by name', async (operationId, good) => {
    expect(await faultsOf(operationId, { ...good, one: 1, two: {} })).toEqual([
      ['body.one', 'additionalProperties'],
      ['body.two', 'additionalProperties'],
    ]);
  });

  it('are let through by a checkout session', async () => {
    expect(await faultsOf('createCheckoutSession', { plan_id: 'topup', one: 1, two: {} })).toEqual([]);
    expect(await faultsOf('createCheckoutSession', { plan_id: 'topup', constructor: 1 })).toEqual([['body.constructor', 'forbidden_key']]);
  });
});

describe('a checkout session', () => {
  it.each([...soldPlans, 'topup'])('sells %s', async (plan_id) => {
    for (const billing_interval of ['month', 'year'])
      expect(await faultsOf('createCheckoutSession', { plan_id, billing_interval })).toEqual([]);
  });

  it.each(['enterprise', 'trial', 'sandbox', 'PUBLIC_PRO'])('does not sell %s', async (plan_id) => {
    expect(await faultsOf('createCheckoutSession', { plan_id })).toEqual([['body.plan_id', 'enum']]);
  });

  it('reports several faults together', async () => {
    expect(await faultsOf('createCheckoutSession', { plan_id: 1, billing_interval: 'week', contact_reference: 5 })).toEqual([
      ['body.billing_interval', 'enum'],
      ['body.contact_reference', 'type'],
      ['body.plan_id', 'enum'],
    ]);
  });
});

describe('scopes and ends of keys', () => {
  it.each([
    [[], 'body.scopes', 'minItems'],
    [['read', 'read'], 'body.scopes', 'uniqueItems'],
    [['root'], 'body.scopes.0', 'enum'],
    ['read', 'body.scopes', 'type'],
  ])('refuses scopes %j', async (scopes, place, type) => {
    expect(await faultsOf('createKey', { ...KEY, scopes })).toEqual([[place, type]]);
  });

  it.each([['2030-01-01T00:00:00Z'], ['1893456000000'], ['']])('takes the end %j', async (expires_at) => {
    expect(await faultsOf('createKey', { ...KEY, expires_at })).toEqual([]);
  });

  it('refuses an end that is no instant', async () => {
    expect(await faultsOf('createKey', { ...KEY, expires_at: 'soon' })).toEqual([['body.expires_at', 'format']]);
  });
});

describe('a rotation', () => {
  it.each([{ rotate: true }, { rotate: true, overlap_seconds: 0 }, { rotate: true, overlap_seconds: 2_592_000 }])(
    'takes %j',
    async (body) => {
      expect(await faultsOf('updateKey', body)).toEqual([]);
    },
  );

  it.each<[object, [string, string][]]>([
    [{}, [['body', 'minProperties']]],
    [{ rotate: false }, [['body.rotate', 'const']]],
    [{ rotate: true, overlap_seconds: -1 }, [['body.overlap_seconds', 'minimum']]],
    [{ rotate: true, overlap_seconds: 2_592_001 }, [['body.overlap_seconds', 'maximum']]],
    [{ rotate: true, overlap_seconds: 1.5 }, [['body.overlap_seconds', 'type']]],
    [{ overlap_seconds: 5 }, [['body.overlap_seconds', 'only_with_rotate']]],
    [{ name: 'n', overlap_seconds: 5 }, [['body.overlap_seconds', 'only_with_rotate']]],
    [
      { rotate: true, name: 'n', scopes: ['read'], expires_at: '' },
      [
        ['body.expires_at', 'not_with_rotate'],
        ['body.name', 'not_with_rotate'],
        ['body.scopes', 'not_with_rotate'],
      ],
    ],
  ])('refuses %j', async (body, faults) => {
    expect(await faultsOf('updateKey', body)).toEqual(faults);
  });
});

it('misses a body that is required, whether a field of it is or not', async () => {
  const needed = operations.filter(({ body }) => body?.required === true);
  for (const { operationId } of needed)
    expect([operationId, await faultsOf(operationId, undefined)]).toEqual([operationId, [['body', 'required']]]);
});

it('reports every fault of a body together, by its public names', async () => {
  const claimAccount = operationById('claimAccount');
  const body = { email: 'a', password: 'short', api_key: text(513), extra: 1 };
  const validation = await validator.validate(claimAccount, { rawQuery: '', path: {}, headers: {}, body });
  const faults = validation.ok ? [] : [...validation.faults].sort((a, b) => String(a.loc[1]).localeCompare(String(b.loc[1])));
  expect(faults).toEqual([
    { loc: ['body', 'api_key'], msg: 'must NOT have more than 512 characters', type: 'maxLength' },
    { loc: ['body', 'email'], msg: 'must NOT have fewer than 3 characters', type: 'minLength' },
    { loc: ['body', 'extra'], msg: 'is not a field of this body', type: 'additionalProperties' },
    { loc: ['body', 'password'], msg: 'must NOT have fewer than 12 characters', type: 'minLength' },
  ]);
});
