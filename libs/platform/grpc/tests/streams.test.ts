import { once } from 'node:events';
import { notFound, ServiceError, unavailable } from '@market-state/errors';
import { bindService, type CallContext, followStream } from '../src';
import { echoDefinition } from './echo-service';
import { closeAll, connect, deferred, startEcho } from './harness';

afterEach(closeAll);

async function* counting(signal: AbortSignal): AsyncGenerator<{ text: string }> {
  for (let index = 0; !signal.aborted; index += 1) {
    yield { text: String(index) };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* silence(signal: AbortSignal): AsyncGenerator<{ text: string }> {
  yield { text: 'first' };
  await once(signal, 'abort');
}

test('a stream gives every message in order and ends with the server', async () => {
  const { server } = await startEcho({
    async *repeat() {
      for (const text of ['a', 'b', 'c']) yield { text };
    },
  });
  const seen: string[] = [];
  for await (const message of connect(server.address).call.repeat({ text: '' })) seen.push(message.text);
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('a stream ends with what its service makes of an error', async () => {
  const echo = () => Promise.resolve({ text: '' });
  const { methods } = bindService(
    echoDefinition,
    {
      echo,
      echoOnce: echo,
      async *repeat() {
        yield { text: 'first' };
        throw new Error('Connection terminated unexpectedly');
      },
    },
    () => unavailable('upstream_unavailable', 'The database does not answer.'),
  );
  const { repeat } = methods;
  const seen: unknown[] = [];
  const read = async (): Promise<void> => {
    if (repeat?.kind !== 'stream') throw new Error('it is no stream');
    for await (const message of repeat.handler({ text: '' }, {} as CallContext)) seen.push(message);
  };
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
  expect(seen).toEqual([{ text: 'first' }]);
});

test('a reader that leaves stops the generator on the server', async () => {
  const stopped = deferred<void>();
  const { server } = await startEcho({
    async *repeat(_request, { signal }) {
      try {
        yield* counting(signal);
      } finally {
        stopped.resolve();
      }
    },
  });
  for await (const message of connect(server.address).call.repeat({ text: '' })) if (message.text === '3') break;
  await stopped.promise;
});

test('a slow reader holds the server back instead of filling memory', async () => {
  let sent = 0;
  const { server } = await startEcho({
    async *repeat(_request, { signal }) {
      for (; !signal.aborted; sent += 1) yield { text: 'x'.repeat(64 * 1_024) };
    },
  });
  const stop = new AbortController();
  const messages = connect(server.address).call.repeat({ text: '' }, { signal: stop.signal })[Symbol.asyncIterator]();
  await messages.next();
  for (let before = -1, turns = 0; turns < 200; turns = before === sent ? turns + 1 : 0) {
    before = sent;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeLessThan(1_000);
  stop.abort();
  while ((await messages.next()).done !== true);
});

test('an error thrown by the generator reaches the reader with its reason', async () => {
  const { server } = await startEcho({
    async *repeat() {
      yield { text: 'one' };
      throw notFound('unknown_symbol', 'Not served.');
    },
  });
  const read = async (): Promise<void> => {
    for await (const message of connect(server.address).call.repeat({ text: '' })) expect(message.text).toBe('one');
  };
  await expect(read()).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
});

test('a stream that goes silent is broken after its idle limit', async () => {
  const { server } = await startEcho({ repeat: (_request, { signal }) => silence(signal) });
  const read = async (): Promise<void> => {
    for await (const message of connect(server.address).call.repeat({ text: '' }, { idleLimitMs: 50 })) expect(message.text).toBe('first');
  };
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
});

test('stopping the server ends its streams with UNAVAILABLE', async () => {
  const { server } = await startEcho({ repeat: (_request, { signal }) => silence(signal) });
  const read = async (): Promise<void> => {
    for await (const message of connect(server.address).call.repeat({ text: '' })) {
      expect(message.text).toBe('first');
      void server.close();
    }
  };
  await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'stopping' });
});

test('a followed stream reports up, down and up again over a restart of the server', async () => {
  const first = await startEcho({ repeat: (_request, { signal }) => silence(signal) });
  const address = first.server.address;
  const client = connect(address);
  const states: string[] = [];
  let waiting = deferred<void>();
  const followed = followStream({
    open: (signal) => client.call.repeat({ text: '' }, { signal }),
    onMessage: () => undefined,
    onUp: () => {
      states.push('up');
      waiting.resolve();
    },
    onDown: (error) => {
      expect(error).toBeInstanceOf(ServiceError);
      states.push('down');
    },
    minDelayMs: 10,
    maxDelayMs: 100,
  });
  await waiting.promise;
  waiting = deferred<void>();
  await first.server.close();
  await startEcho({ repeat: (_request, { signal }) => silence(signal) }, { address });
  await waiting.promise;
  expect(states).toEqual(['up', 'down', 'up']);
  expect(followed.isUp()).toBe(true);
  await followed.close();
  expect(followed.isUp()).toBe(false);
});

test('streams are no calls in flight: with 120 open, unary calls and further streams go on', async () => {
  const { server } = await startEcho({ repeat: (_request, { signal }) => silence(signal) });
  const client = connect(server.address);
  const stop = new AbortController();
  for (let opened = 0; opened < 120; opened += 1)
    await client.call.repeat({ text: '' }, { signal: stop.signal })[Symbol.asyncIterator]().next();
  expect(await client.call.echo({ text: 'served' })).toEqual({ text: 'served' });
  const first = await client.call.repeat({ text: '' }, { signal: stop.signal })[Symbol.asyncIterator]().next();
  expect(first).toMatchObject({ value: { text: 'first' } });
  stop.abort();
});
