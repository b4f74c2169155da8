import fc from 'fast-check';
import { formatMessageId, formatWebhookSecret, MESSAGE_ID_RANDOM_SIZE_BYTES } from './index';

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
