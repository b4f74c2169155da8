import { type OtlpReceiver, startOtlpReceiver } from '@market-state/otlp-receiver';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { currentTraceId, insideTrace, openSpan, openTracing, type OpenTracing, recordSampled, withSpan } from '../src/index';

/** Sampled by its head, and not. */
const CHOSEN = '00000000000000000000000000000001';
const OTHER = '000000000000000000000000ffffffff';
const QUEUE = 2_048;

let receiver: OtlpReceiver;
let tracing: OpenTracing | undefined;

beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await tracing?.close();
  tracing = undefined;
  await receiver.close();
});

/** Sequential span ids in one trace. */
function idsOf(traceId: string): IdGenerator {
  let last = 0;
  return { generateTraceId: () => traceId, generateSpanId: () => (++last).toString(16).padStart(16, '0') };
}

/** Reproducible 64-digit hexadecimal numbers. */
function digests(): () => string {
  let last = 0;
  return () => createHash('sha256').update(String(++last)).digest('hex');
}

async function trace(ids?: IdGenerator, endpoint = receiver.endpoint): Promise<Error[]> {
  const lost: Error[] = [];
  tracing = await openTracing({ service: 'test', endpoint, ids, onLost: (error) => void lost.push(error) });
  return lost;
}

/** Names of sent spans, after a flush. */
async function namesSent(): Promise<readonly string[]> {
  await tracing?.close();
  return receiver.spans.map(({ name }) => name);
}

const root = (title: string) => openSpan(title, { role: 'internal', parent: null });
const below = (parent: ReturnType<typeof root>, title: string) => openSpan(title, { role: 'internal', parent: parent.context });

test('of 10,000 traces those with an id below one in a hundred are sent, as many as chance allows', async () => {
  const next = digests();
  await trace({ generateTraceId: () => next().slice(0, 32), generateSpanId: () => next().slice(0, 16) });
  for (let index = 0; index < 10_000; index += 1) root('call').end();
  const total = (await namesSent()).length;
  // Four standard deviations of a binomial distribution: 10,000 tries of 1 %.
  expect(Math.abs(total - 100)).toBeLessThan(4 * Math.sqrt(10_000 * 0.01 * 0.99));
});

test('of completed work the same share is sent, without describing the rest', async () => {
  const next = digests();
  jest.spyOn(Math, 'random').mockImplementation(() => Number(`0x${next().slice(0, 8)}`) / 2 ** 32);
  await trace();
  let described = 0;
  for (let index = 0; index < 10_000; index += 1)
    recordSampled('server', performance.now(), () => ({ title: 'read', attributes: { at: ++described } }));
  const total = (await namesSent()).length;
  expect(total).toBe(described);
  expect(Math.abs(total - 100)).toBeLessThan(4 * Math.sqrt(10_000 * 0.01 * 0.99));
});

test('a trace that was chosen is sent whole, another not at all', async () => {
  await trace(idsOf(CHOSEN));
  const call = root('call');
  below(call, 'part').end();
  call.end();
  expect(await namesSent()).toEqual(['part', 'call']);
  expect(receiver.spans).toMatchObject([{ parentSpanId: receiver.spans[1]?.spanId }, { service: 'test' }]);
});

test('an unsampled trace is sent with everything in this process once a part of it fails, including earlier spans', async () => {
  await trace(idsOf(OTHER));
  const [good, bad] = [root('good'), root('bad')];
  below(good, 'part of good').end();
  below(bad, 'before').end();
  const late = below(bad, 'late');
  below(bad, 'failing').end(Object.assign(new Error('msk_live_secret'), { reason: 'upstream_unavailable' }));
  good.end();
  bad.end();
  late.end();
  expect(await namesSent()).toEqual(['before', 'failing', 'bad', 'late']);
  expect(receiver.spans.map(({ failed }) => failed)).toEqual([false, true, false, false]);
  expect(receiver.spans[1]?.attributes).toEqual({ 'error.type': 'upstream_unavailable' });
  expect(JSON.stringify(receiver.spans)).not.toContain('msk_live');
});

test('what fails after its call is over is sent, and what does not fail is not', async () => {
  await trace(idsOf(OTHER));
  const call = root('call');
  const [first, second, third] = [below(call, 'first'), below(call, 'second'), below(call, 'third')];
  call.end();
  first.end();
  second.end(new Error('no'));
  third.end();
  expect(await namesSent()).toEqual(['second', 'third']);
});

test('a call holds a bounded number of spans, and a failure still sends itself and those', async () => {
  await trace(idsOf(OTHER));
  const call = root('call');
  for (let index = 0; index < 1_000; index += 1) below(call, 'part').end();
  call.end(new Error('no'));
  expect(await namesSent()).toEqual([...Array(128).fill('part'), 'call']);
});

test('a trace continues through every await and does not leak into others', async () => {
  await trace(idsOf(CHOSEN));
  const seen = await withSpan('call', { role: 'internal', parent: null }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return [currentTraceId(), await insideTrace(root('other').context, async () => currentTraceId())];
  });
  expect([...seen, currentTraceId()]).toEqual([CHOSEN, CHOSEN, undefined]);
});

test('texts and numbers of attributes are bounded', async () => {
  await trace(idsOf(CHOSEN));
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 'x'.repeat(10_000)]));
  openSpan('call', { role: 'internal', parent: null, attributes: many }).end();
  await namesSent();
  const sent = Object.values(receiver.spans[0]?.attributes ?? {});
  expect([sent.length, Math.max(...sent.map((text) => String(text).length))]).toEqual([32, 256]);
});

test('while a collector hangs spans wait in a bounded queue, and go out once it answers', async () => {
  await trace(idsOf(CHOSEN));
  receiver.behave('hangs');
  const requested = receiver.nextRequest();
  for (let index = 0; index < 10_000; index += 1) root('call').end();
  await requested;
  receiver.behave('takes');
  expect((await namesSent()).length).toBe(QUEUE);
});

test.each(['fails', 'redirects', 'drips'] as const)('a collector that %s costs its spans and nothing else', async (manner) => {
  const lost = await trace(idsOf(CHOSEN));
  receiver.behave(manner);
  for (let index = 0; index < 3_000; index += 1) root('call').end();
  expect(await namesSent()).toEqual([]);
  // An endless response still counts as a response.
  expect(lost.length).toBe(manner === 'drips' ? 0 : 1);
});

test('an unavailable collector costs its spans and nothing else', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const lost = await trace(idsOf(CHOSEN), `http://127.0.0.1:${port}`);
  for (let index = 0; index < 3_000; index += 1) root('call').end();
  await tracing?.close();
  expect(lost.map(({ name }) => name)).toEqual(['TypeError']);
});

test('without an endpoint nothing is recorded or loaded', async () => {
  const open = await openTracing({ service: 'test', endpoint: undefined, onLost: () => undefined });
  const span = openSpan('call', { role: 'internal', parent: null });
  expect(insideTrace(span.context, currentTraceId)).toBeUndefined();
  const describeSpan = jest.fn();
  recordSampled('server', 0, describeSpan);
  expect(describeSpan).not.toHaveBeenCalled();
  span.end();
  await open.close();
});
