import { internal, notFound } from '@market-state/errors';
import { currentTraceId, openTracing, type OpenTracing, withSpan } from '@market-state/tracing';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@market-state/otlp-receiver';
import { closeAll, connect, startEcho } from './harness';

/** Trace ids that are sampled, or not, by ratio. */
const SENT = '00000000000000000000000000000001';
const NOT_SENT = '000000000000000000000000ffffffff';

let receiver: OtlpReceiver;
let tracing: OpenTracing;

async function trace(traceId: string): Promise<void> {
  let last = 0;
  receiver = await startOtlpReceiver();
  tracing = await openTracing({
    service: 'test',
    endpoint: receiver.endpoint,
    onLost: (error) => {
      throw error;
    },
    ids: { generateTraceId: () => traceId, generateSpanId: () => (++last).toString(16).padStart(16, '0') },
  });
}

/** Spans sent, after closing everything. */
async function sent(): Promise<readonly ReceivedSpan[]> {
  await closeAll();
  await tracing.close();
  await receiver.close();
  return receiver.spans;
}

afterEach(closeAll);

test('without a collector no span exists and calls work', async () => {
  let id: unknown = 'not called';
  const { server } = await startEcho({
    echo: async ({ text }) => {
      id = currentTraceId();
      return { text };
    },
  });
  await connect(server.address).call.echo({ text: '' });
  expect(id).toBeUndefined();
});

test('spans of caller, client, server and the onward call join into one trace', async () => {
  await trace(SENT);
  const back = await startEcho();
  const onward = connect(back.server.address);
  const front = await startEcho({ echo: (request) => onward.call.echo(request) });
  const client = connect(front.server.address);
  await withSpan('edge', { role: 'internal', parent: null }, () => client.call.echo({ text: '' }));

  const spans = (await sent()).filter(({ traceId }) => traceId === SENT);
  expect(spans.map(({ kind }) => kind).sort()).toEqual([1, 2, 2, 3, 3]);
  const [edge] = spans.filter(({ name }) => name === 'edge');
  const chain = [edge];
  for (let at = 0; at < 4; at += 1) chain.push(spans.find(({ parentSpanId }) => parentSpanId === chain.at(-1)?.spanId));
  expect(chain.map((span) => span?.kind)).toEqual([1, 3, 2, 3, 2]);
  expect(edge).not.toHaveProperty('parentSpanId');
});

test('for an unsampled trace, all spans that an internal error passes through are sent, and no span of a refusal', async () => {
  await trace(NOT_SENT);
  const { server } = await startEcho({
    echo: async ({ text }) => {
      if (text === 'fails') throw internal();
      if (text === 'refuses') throw notFound('unknown_key', 'No.');
      return { text };
    },
  });
  const client = connect(server.address);
  const ask = (text: string): Promise<unknown> =>
    withSpan(text, { role: 'internal', parent: null }, () => client.call.echo({ text }).catch(() => undefined));
  await ask('works');
  await ask('refuses');
  await ask('fails');

  const spans = await sent();
  expect(spans.map(({ name, failed, kind }) => [name, failed, kind])).toEqual([
    [expect.stringContaining('/Echo'), true, 2],
    [expect.stringContaining('/Echo'), true, 3],
    ['fails', false, 1],
  ]);
});
