import { emailDigest, emailFaults } from './email';

test.each(['User@Example.com', 'user@example。com', 'user@ｅｘａｍｐｌｅ．com', 'user@example.com.', 'user@exam\u00adple.com'])(
  '%s is user@example.com',
  (email) => {
    expect(emailDigest(email)).toEqual(emailDigest('user@example.com'));
  },
);

test.each([
  ['user@xn--bcher-kva.example', 'user@bücher.example'],
  ['user@BU\u0308CHER.example', 'user@bücher.example'],
  ['ju\u0308rgen@example.com', 'jürgen@example.com'],
])('%s is %s', (one, other) => {
  expect(emailDigest(one)).toEqual(emailDigest(other));
});

test.each([
  ['user@strasse.example', 'user@straße.example'],
  ['ｕser@example.com', 'user@example.com'],
  ['user@example.com', 'user@example.co'],
  ['user@example/one', 'user@example/other'],
])('%s is not %s', (one, other) => {
  expect(emailDigest(one)).not.toEqual(emailDigest(other));
});

test.each(['user@example/com', 'user@[127.0.0.1]', 'user@a%b', 'user@.', 'user', 'a@b@'])('%s is no email', (email) => {
  expect(emailFaults('email', email)).toEqual([{ field: 'email', message: 'must be an email address', type: 'malformed' }]);
});

test('addresses in any script are emails', () => {
  expect(['jürgen@bücher.example', 'user@例え.テスト', 'root@localhost'].flatMap((email) => emailFaults('email', email))).toEqual([]);
});
