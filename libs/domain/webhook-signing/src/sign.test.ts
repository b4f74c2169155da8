import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { formatWebhookSecret, signWebhook, type SignatureHeaders, formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES } from '.';

const bytes = fc.uint8Array({ minLength: MESSAGE_ID_RANDOM_SIZE_BYTES, maxLength: MESSAGE_ID_RANDOM_SIZE_BYTES, max: 247 });
const time = fc.integer({ min: 0, max: 62 ** 8 - 2 });

test('a message id has the form that receivers are promised, and a later one sorts after it', () => {
  fc.assert(
    fc.property(time, bytes, bytes, (ms, one, other) => {
      const id = formatMessageId(ms, one);
      expect(id).toMatch(/^msg_[0-9A-Za-z]{26}$/);
      expect(Buffer.compare(Buffer.from(id), Buffer.from(formatMessageId(ms + 1, other)))).toBe(-1);
    }),
  );
});

test.each([-1, 0.5, 62 ** 8])('no id is made for the time %d', (ms) => {
  expect(() => formatMessageId(ms, new Uint8Array(MESSAGE_ID_RANDOM_SIZE_BYTES))).toThrow(RangeError);
});

test('neither an id nor a secret is made of too few random bytes', () => {
  expect(() => formatMessageId(0, new Uint8Array(17))).toThrow(RangeError);
  expect(() => formatWebhookSecret(new Uint8Array(31))).toThrow(RangeError);
});

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const FOREIGN = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

const nowSeconds = () => Math.floor(Date.now() / 1000);

function secretOf(text: string): string {
  return formatWebhookSecret(createHash('sha256').update(text).digest());
}

/** Signed now by this lib, then verified by the reference library, with headers changed on the way. */
function verify(change: Partial<Record<keyof SignatureHeaders, string | undefined>> = {}, secret = SECRET, shiftSeconds = 0) {
  const headers = { ...signWebhook({ id: ID, timestampSeconds: nowSeconds() + shiftSeconds, body: BODY }, [SECRET]), ...change };
  return new Webhook(secret).verify(BODY, headers as Record<string, string>);
}

function signature(): string {
  return signWebhook({ id: ID, timestampSeconds: nowSeconds(), body: BODY }, [SECRET])['webhook-signature'];
}

test('the published signature comes out for the published message', () => {
  expect(signWebhook({ id: ID, timestampSeconds: 1_614_265_330, body: BODY }, [SECRET])).toEqual({
    'webhook-id': ID,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

describe('the reference library accepts', () => {
  test.each<[string, () => unknown]>([
    ['a signed message', () => verify()],
    ['a signed message, its secret given without prefix', () => verify({}, SECRET.slice('whsec_'.length))],
    ['one good signature among others', () => verify({ 'webhook-signature': `v1,${FOREIGN} v2,${FOREIGN} ${signature()} v1,${FOREIGN}` })],
    ['a message of nearly five minutes ago', () => verify({}, SECRET, -290)],
  ])('%s', (_name, verified) => {
    expect(verified()).toEqual({ test: 2_432_232_314 });
  });

  test('what it signs itself, byte for byte', () => {
    const seconds = nowSeconds();
    expect(signWebhook({ id: ID, timestampSeconds: seconds, body: BODY }, [SECRET])['webhook-signature']).toBe(
      new Webhook(SECRET).sign(ID, new Date(seconds * 1000), BODY),
    );
  });
});

describe('the reference library refuses', () => {
  test.each<[string, () => unknown]>([
    ['a missing id', () => verify({ 'webhook-id': undefined })],
    ['another id', () => verify({ 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJel' })],
    ['a missing timestamp', () => verify({ 'webhook-timestamp': undefined })],
    ['a timestamp that is no number', () => verify({ 'webhook-timestamp': 'hello' })],
    ['a timestamp moved by a second', () => verify({ 'webhook-timestamp': String(nowSeconds() - 1) }, SECRET, 5)],
    ['a missing signature', () => verify({ 'webhook-signature': undefined })],
    ['a foreign signature', () => verify({ 'webhook-signature': `v1,${FOREIGN}` })],
    ['part of a signature', () => verify({ 'webhook-signature': signature().slice(0, 8) })],
    ['an empty signature', () => verify({ 'webhook-signature': 'v1,' })],
    ['a message of more than five minutes ago', () => verify({}, SECRET, -310)],
    ['a message of more than five minutes ahead', () => verify({}, SECRET, 310)],
    ['another secret', () => verify({}, secretOf('another'))],
  ])('%s', (_name, verified) => {
    expect(verified).toThrow(WebhookVerificationError);
  });
});

describe('a message', () => {
  test('is accepted under each of its secrets, whose signatures stand newest first', () => {
    const secrets = ['new', 'old', 'oldest'].map(secretOf);
    const message = { id: ID, timestampSeconds: nowSeconds(), body: BODY };
    const headers = signWebhook(message, secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(BODY, { ...headers })).toEqual(JSON.parse(BODY));
    expect(headers['webhook-signature'].split(' ')).toEqual(secrets.map((secret) => signWebhook(message, [secret])['webhook-signature']));
    expect(() => new Webhook(secretOf('never')).verify(BODY, { ...headers })).toThrow(WebhookVerificationError);
  });

  test('of any text is accepted as it was sent, as bytes or text, and refused with one character more', () => {
    const anyBody = fc.json().map((text) => `${text} é\u{1f600}`);
    fc.assert(
      fc.property(anyBody, fc.uint8Array({ minLength: 32, maxLength: 32 }), (body, bytes) => {
        const webhook = new Webhook(formatWebhookSecret(bytes));
        const message = { id: ID, timestampSeconds: nowSeconds() };
        const headers = signWebhook({ ...message, body: Buffer.from(body) }, [formatWebhookSecret(bytes)]);
        expect(signWebhook({ ...message, body }, [formatWebhookSecret(bytes)])).toEqual(headers);
        webhook.verify(body, { ...headers }, { jsonParse: false });
        expect(() => webhook.verify(`${body} `, { ...headers })).toThrow(WebhookVerificationError);
      }),
    );
  });

  test.each([0.5, -1, Number.NaN])('with the timestamp %d is not signed', (timestampSeconds) => {
    expect(() => signWebhook({ id: ID, timestampSeconds, body: BODY }, [SECRET])).toThrow(RangeError);
  });

  test.each([
    ['no secret', []],
    ['an empty secret', ['']],
    ['a secret without prefix', ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
    ['a secret of 16 bytes', [`whsec_${Buffer.alloc(16, 7).toString('base64')}`]],
    ['a secret that is not base64', ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa**']],
  ])('with %s is not signed, and the error does not contain it', (_name, secrets) => {
    const signed = () => signWebhook({ id: ID, timestampSeconds: 1, body: BODY }, secrets);
    expect(signed).toThrow(RangeError);
    expect(signed).not.toThrow(/MfKQ/);
  });
});
