import { COMMON_PASSWORDS, isCommon, passwordFaults } from './password-rules';

function typesOf(password: string, email = 'someone@example.org'): string[] {
  return passwordFaults('password', password, email).map(({ type }) => type);
}

test('the list of common passwords is long', () => {
  expect(COMMON_PASSWORDS.size).toBeGreaterThan(40_000);
});

test.each([
  'a quiet river 81',
  ' leading and trailing ',
  '十二文字以上の合言葉です',
  '🂡🂢🂣🂤🂥🂦🂧🂨🂩🂪🂫🂭',
  'x'.repeat(6) + 'ﬀ\u0000\n\t' + 'zq',
  'Tr0ub4dor&3-and-more',
  'qv'.repeat(128),
])('any characters do: %j', (password) => {
  expect(typesOf(password)).toEqual([]);
});

test.each([
  ['x7#qLm2!vB', ['too_short']],
  ['x7#qLm2!vBz', ['too_short']],
  ['🂡🂢🂣🂤🂥🂦🂧🂨🂩🂪🂫', ['too_short']],
  ['qv'.repeat(128) + 'w', ['too_long']],
  ['', ['too_short']],
])('its length is 12 to 256 characters: %j', (password, types) => {
  expect(typesOf(password)).toEqual(types);
});

test.each([
  'unbelievable',
  'UNBELIEVABLE',
  'qwerty123456',
  'passwordpassword',
  'password1234',
  '!!password!!',
  '1234dragon56',
  'letmeinletmein',
  '123456123456',
])('a common one does not: %j', (password) => {
  expect(typesOf(password)).toEqual(['too_common']);
});

test('a common word within a longer one is no common password', () => {
  expect(isCommon('password of the harbour')).toBe(false);
  expect(isCommon('dragon84739201')).toBe(false);
});

test.each([
  ['prefix-jane.doe-suffix', 'jane.doe@example.org'],
  ['PREFIX-JANE.DOE-SUFFIX', 'Jane.Doe@example.org'],
  ['somewhere jo is here', 'jo@example.org'],
])('%j holds the local part of %s', (password, email) => {
  expect(typesOf(password, email)).toEqual(['contains_email']);
});

test('a local part of one letter is no rule at all', () => {
  expect(typesOf('a quiet river 81', 'a@example.org')).toEqual([]);
});

test.each(['my market-state key', 'MarketState-rules', 'on market state now', 'on_market_state_now'])(
  '%j holds the name of the product',
  (password) => {
    expect(typesOf(password)).toEqual(['contains_product_name']);
  },
);

test('every fault is reported in one error', () => {
  expect(typesOf('marketstate', 'market@example.org')).toEqual(['too_short', 'contains_email', 'contains_product_name']);
});
