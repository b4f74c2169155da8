import { createLogger } from '@market-state/logging';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@market-state/otlp-receiver';
import { openTracing, type OpenTracing } from '@market-state/tracing';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const HISTORY = '/api/public/market-state/history';
const LATEST = '/api/public/market-state/latest';
const SERVER = 2;
const CLIENT = 3;
/** The caller's own trace context, sampled. */
const FOREIGN = { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01', tracestate: 'a=secret-of-the-caller' };

/** First half of each trace id: sampled or not; the second half counts. */
let head: 'chosen' | 'other' = 'other';
let last = 0;
const counted = (): string => (++last).toString(16).padStart(16, '0');
const halves = { chosen: '0000000000000000', other: '00000000ffffffff' };
/** The halves of an id are combined: the second is small. */
const ids = { generateTraceId: () => halves[head] + counted(), generateSpanId: counted };

let receiver: OtlpReceiver;
let tracing: OpenTracing;
let booted: BootedGateway;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  tracing = await openTracing({ service: 'gateway', endpoint: receiver.endpoint, onLost: () => undefined, ids });
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  booted = await bootGateway({ logger: createLogger('gateway', { destination }) });
});
afterAll(async () => {
  await booted.close();
  await tracing.close();
  await receiver.close();
});

/** Spans of the trace of a request with this title and status, once its first span was sent. */
async function traceOf(title: string, status: number): Promise<readonly ReceivedSpan[]> {
  const find = (spans: readonly ReceivedSpan[]) =>
    spans.find(({ name, attributes }) => name === title && attributes['http.response.status_code'] === status);
  await receiver.until((spans) => find(spans) !== undefined);
  const first = find(receiver.spans);
  return receiver.spans.filter(({ traceId }) => traceId === first?.traceId);
}

test('one call through gateway and service is one trace, each span below the one that caused it', async () => {
  head = 'chosen';
  const answer = await booted.keyed(`${HISTORY}?symbol=BTCUSD-PERP&limit=1`, { headers: FOREIGN });
  head = 'other';
  expect(answer.status).toBe(200);
  const spans = await traceOf(`GET ${HISTORY}`, 200);
  const request = spans.find(({ parentSpanId }) => parentSpanId === undefined);
  expect(request).toMatchObject({
    kind: SERVER,
    failed: false,
    attributes: { 'http.request.method': 'GET', 'http.route': HISTORY, 'http.response.status_code': 200 },
  });
  const calls = spans.filter(({ kind, parentSpanId }) => kind === CLIENT && parentSpanId === request?.spanId);
  expect(calls.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^\/marketstate\.labeling\.v1\./));
  for (const call of calls) {
    const served = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId);
    expect(served.map(({ name, kind }) => [name, kind])).toEqual([[call.name, SERVER]]);
  }
  expect(request?.traceId).not.toBe('0123456789abcdef0123456789abcdef');
});

test('a call that fails is sent whole though its trace was not chosen, and its log lines name it; one that is refused is not sent', async () => {
  expect((await booted.keyed(`${HISTORY}?symbol=BTCUSD-PERP&limit=1001`)).status).toBe(422);
  booted.labeling.setDown(true);
  const answer = await booted.keyed(`${HISTORY}?symbol=BTCUSD-PERP&limit=2`);
  booted.labeling.setDown(false);
  expect(answer.status).toBe(503);
  const spans = await traceOf(`GET ${HISTORY}`, 503);
  expect(spans.find(({ parentSpanId }) => parentSpanId === undefined)).toMatchObject({
    failed: true,
    attributes: { 'http.response.status_code': 503 },
  });
  expect(spans.filter(({ kind, failed }) => kind === CLIENT && failed).length).toBeGreaterThan(0);
  const line = lines.find(({ request_id: id }) => id === answer.headers['x-request-id']);
  expect(line).toMatchObject({ msg: 'request failed', trace_id: spans[0]?.traceId });
  expect(receiver.spans.filter(({ attributes }) => attributes['http.response.status_code'] === 422)).toEqual([]);
});

test('of reads that are ready one in a hundred is a trace of its own', async () => {
  const random = jest.spyOn(Math, 'random');
  random.mockReturnValue(0.02);
  expect((await booted.keyed(`${LATEST}?symbol=BTCUSD-PERP`)).status).toBe(200);
  random.mockReturnValue(0.001);
  expect((await booted.keyed(`${LATEST}?symbol=BTCUSD-PERP`, { method: 'HEAD' })).status).toBe(200);
  random.mockRestore();
  expect(await traceOf(`HEAD ${LATEST}`, 200)).toMatchObject([
    { kind: SERVER, attributes: { 'http.route': LATEST, 'http.response.status_code': 200 } },
  ]);
  expect(receiver.spans.filter(({ name }) => name === `GET ${LATEST}`)).toEqual([]);
});

test('no span holds a key, what was asked with, or what a caller says of its own trace', () => {
  const text = JSON.stringify(receiver.spans);
  expect(receiver.spans.length).toBeGreaterThan(3);
  for (const secret of [booted.key, 'symbol=', 'limit', 'secret-of-the-caller']) expect(text).not.toContain(secret);
});
