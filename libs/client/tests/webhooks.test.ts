import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type VerificationError, verifyWebhook } from '../src/webhooks';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
/** Other bytes when it is parsed and written again. */
const BODY = '{"type": "webhook.test", "id": "msg_1", "data": {"score": 0.50, "note": "\\u00e9"}}';
const NOW = 1_800_000_000_000;
const now = (): number => NOW;

function signed(body: string | Buffer, { id = 'msg_1', seconds = NOW / 1_000, key = KEY } = {}): Record<string, string> {
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` };
}

const codeOf = (error: unknown): string => (error as VerificationError).code;
const verdict = (...given: Parameters<typeof verifyWebhook>): Promise<string> => verifyWebhook(...given).then(() => 'genuine', codeOf);

test('gives the event of a genuine message, of text or bytes, with headers of any form', async () => {
  const headers = signed(BODY);
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY).buffer as ArrayBuffer])
    for (const form of [headers, upper, new Headers(headers)])
      expect(await verifyWebhook(body, form, SECRET, { now })).toEqual(JSON.parse(BODY));
});

test('takes any of several secrets and signatures, as a rotation has them', async () => {
  const other = Buffer.alloc(32, 9);
  const both = { ...signed(BODY), 'webhook-signature': `v1,bm90IGl0 v1a,x v1,%% ${signed(BODY)['webhook-signature']}` };
  expect(await verdict(BODY, both, [`whsec_${other.toString('base64')}`, SECRET], { now })).toBe('genuine');
  expect(await verdict(BODY, signed(BODY, { key: other }), [SECRET], { now })).toBe('signature_mismatch');
});

test('names what is wrong', async () => {
  const headers = signed(BODY);
  expect(await verdict(`${BODY} `, headers, SECRET, { now })).toBe('signature_mismatch');
  expect(await verdict(BODY, { ...headers, 'webhook-id': 'msg_2' }, SECRET, { now })).toBe('signature_mismatch');
  for (const name of Object.keys(headers))
    expect(await verdict(BODY, { ...headers, [name]: undefined }, SECRET, { now })).toBe('header_missing');
  expect(await verdict(BODY, { ...headers, 'webhook-timestamp': '1e9' }, SECRET, { now })).toBe('timestamp_malformed');
  const at = (seconds: number): Promise<string> => verdict(BODY, signed(BODY, { seconds: NOW / 1_000 + seconds }), SECRET, { now });
  expect(await Promise.all([at(-300), at(300), at(-301), at(301)])).toEqual([
    'genuine',
    'genuine',
    'timestamp_too_old',
    'timestamp_too_new',
  ]);
  expect(await verdict(BODY, signed(BODY), SECRET, { now: () => NOW + 60_000, toleranceSeconds: 59 })).toBe('timestamp_too_old');
  expect(await verdict('no JSON', signed('no JSON'), SECRET, { now })).toBe('body_malformed');
  await expect(verifyWebhook(BODY, headers, [], { now })).rejects.toBeInstanceOf(TypeError);
  for (const secret of [
    'whsec_%',
    'whsec_AA==',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])
    await expect(verifyWebhook(BODY, headers, secret, { now })).rejects.toBeInstanceOf(TypeError);
});

test('refuses a body that was parsed, or parsed and written again, and says that this is why', async () => {
  const reserialised = verifyWebhook(JSON.stringify(JSON.parse(BODY)), signed(BODY), SECRET, { now });
  await expect(reserialised).rejects.toThrow(/\(re-serialised\).*raw body/);
  const parsed = verifyWebhook(JSON.parse(BODY) as string, signed(BODY), SECRET, { now });
  await expect(parsed).rejects.toThrow(/already parsed.*raw body/);
  await expect(parsed).rejects.toMatchObject({ name: 'VerificationError', code: 'body_parsed' });
});

test('agrees with the reference library', async () => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['setImmediate', 'setTimeout'] });
  try {
    const headers = signed(BODY);
    for (const [body, sent] of [
      [BODY, headers],
      [`${BODY} `, headers],
      [BODY, signed(BODY, { seconds: NOW / 1_000 - 400 })],
    ] as const) {
      const reference = ((): boolean => {
        try {
          return new Webhook(SECRET).verify(body, sent) !== undefined;
        } catch {
          return false;
        }
      })();
      expect((await verdict(body, sent, SECRET)) === 'genuine').toBe(reference);
    }
  } finally {
    jest.useRealTimers();
  }
});
