import { changedValues, keyValues, windowWords } from './key-values';

function formOf(pairs: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  return form;
}

const filled = formOf([
  ['name', ' agent '],
  ['scopes', 'read'],
  ['scopes', 'export'],
  ['expires_at', '2026-12-31'],
  ['credits', '500'],
  ['window_seconds', '86400'],
  ['calls_per_minute', '60'],
]);

test('a key works until the end of its expiry day', () => {
  expect(keyValues(filled)).toEqual({
    name: 'agent',
    scopes: ['read', 'export'],
    expires_at: '2026-12-31T23:59:59.999Z',
    credit_ceiling: { credits: 500, window_seconds: 86_400 },
    rate_limit: { calls_per_minute: 60 },
  });
});

test('empty fields mean no expiry, no ceiling and no own rate limit', () => {
  expect(
    keyValues(
      formOf([
        ['name', 'x'],
        ['scopes', 'read'],
        ['expires_at', ''],
        ['credits', ''],
        ['window_seconds', '3600'],
        ['calls_per_minute', ''],
      ]),
    ),
  ).toMatchObject({ expires_at: '', credit_ceiling: null, rate_limit: null });
});

test('a change keeps the exact expiry unless its day changed', () => {
  const key = {
    key_id: 'key_1',
    name: 'agent',
    kind: 'live',
    state: 'active',
    scopes: ['read'],
    display: '',
    created_utc: '',
    expires_utc: '2026-12-31T08:15:00.000Z',
    revoked_utc: null,
    last_used_utc: null,
    credit_ceiling: null,
    rate_limit: null,
  } as const;
  expect(changedValues(filled, key)).not.toHaveProperty('expires_at');
  expect(changedValues(filled, { ...key, expires_utc: null })).toHaveProperty('expires_at', '2026-12-31T23:59:59.999Z');
});

test('usual windows have names, others show seconds', () => {
  expect([windowWords(86_400), windowWords(90_000)]).toEqual(['day', '90,000 s']);
});
