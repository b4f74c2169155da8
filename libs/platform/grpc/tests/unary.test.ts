import { invalidArgument, notFound, ServiceError } from '@market-state/errors';
import { createLogger, currentRequestContext, currentRequestId, withRequestContext } from '@market-state/logging';
import { closeAll, connect, deferred, startEcho, until } from './harness';

afterEach(closeAll);

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw new Error('expected a ServiceError');
  return error;
}

test('a unary call answers and is counted', async () => {
  const { server } = await startEcho();
  const client = connect(server.address);
  expect(await client.call.echo({ text: 'a' })).toEqual({ text: 'a' });
  expect(client.unaryCallTotal('echo')).toBe(1);
  expect(client.unaryCallTotal()).toBe(1);
});

test('the request id reaches the handler, its onward calls and the log', async () => {
  const seen: (string | undefined)[] = [];
  const back = await startEcho({
    echo: async ({ text }) => {
      seen.push(currentRequestId());
      return { text };
    },
  });
  const onward = connect(back.server.address);
  const lines: string[] = [];
  const front = await startEcho(
    { echo: (request) => onward.call.echo(request) },
    { logger: createLogger('test', { level: 'debug', destination: { write: (line) => void lines.push(line) } }) },
  );
  await connect(front.server.address).call.echo({ text: 'x' }, { requestId: 'req-1' });
  expect(seen).toEqual(['req-1']);
  expect(lines.some((line) => line.includes('"request_id":"req-1"'))).toBe(true);
});

test('the signal of an answered call aborts, so that nothing that the call started goes on', async () => {
  const signals: AbortSignal[] = [];
  const { server } = await startEcho({
    echo: async ({ text }, { signal }) => {
      signals.push(signal);
      return { text };
    },
  });
  const client = connect(server.address);
  for (const text of ['a', 'b']) expect(await client.call.echo({ text })).toEqual({ text });
  await until('both signals', () => signals.every(({ aborted }) => aborted));
  expect(signals.map(({ reason }) => (reason as ServiceError).code)).toEqual(['CANCELLED', 'CANCELLED']);
});

test('an insane request id is replaced', async () => {
  let seen: string | undefined;
  const { server } = await startEcho({
    echo: async ({ text }) => {
      seen = currentRequestId();
      return { text };
    },
  });
  await connect(server.address).call.echo({ text: '' }, { requestId: 'no spaces allowed' });
  expect(seen).toMatch(/^[0-9a-f-]{36}$/);
});

test('a ServiceError crosses two hops with reason, sentence, metadata and faults, without detail or cause', async () => {
  const thrown = [
    notFound('unknown_symbol', 'X is not served here — sorry.', { symbols: 'A,B' }),
    invalidArgument([{ field: 'depth', message: 'must be 1…1000', type: 'out_of_range' }]),
  ];
  let next = 0;
  const back = await startEcho({
    echo: async () => {
      throw thrown[next] ?? new Error('none');
    },
  });
  const onward = connect(back.server.address);
  const front = await startEcho({ echo: (request) => onward.call.echo(request) });
  const client = connect(front.server.address);
  for (next = 0; next < thrown.length; next += 1) {
    const error = await failureOf(client.call.echo({ text: '' }));
    const { code, reason, message, metadata, faults } = thrown[next] as ServiceError;
    expect(error).toMatchObject({ code, reason, message, metadata, faults });
    expect(error.detail).toBeUndefined();
  }
});

test('an unknown error becomes INTERNAL with a general sentence and is logged with the request id', async () => {
  const lines: string[] = [];
  const { server } = await startEcho(
    {
      echo: async () => {
        throw new Error('relation "secret_table" does not exist');
      },
    },
    { logger: createLogger('test', { destination: { write: (line) => void lines.push(line) } }) },
  );
  const error = await failureOf(connect(server.address).call.echo({ text: '' }, { requestId: 'req-9' }));
  expect(error).toMatchObject({ code: 'INTERNAL', reason: 'internal', message: 'An internal error occurred.' });
  expect(lines.find((line) => line.includes('secret_table'))).toContain('req-9');
});

test('a hung service is abandoned at the deadline and its handler’s signal aborts', async () => {
  const stopped = deferred<unknown>();
  const { server } = await startEcho({
    echo: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve(signal.reason);
          reject(signal.reason);
        });
      }),
  });
  const error = await failureOf(connect(server.address).call.echo({ text: '' }, { deadlineMs: 100 }));
  expect(error).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(await stopped.promise).toBeInstanceOf(ServiceError);
});

test('the time passed down is what is left less 50 ms, and none left is refused without a call', async () => {
  let granted = 0;
  const { server } = await startEcho({
    echo: async ({ text }, { deadlineMs }) => {
      granted = deadlineMs ?? 0;
      return { text };
    },
  });
  const client = connect(server.address);
  const deadlineMs = Date.now() + 1_000;
  await withRequestContext({ requestId: 'r', deadlineMs }, () => client.call.echo({ text: '' }));
  expect(Math.abs(deadlineMs - 50 - granted)).toBeLessThan(40);
  const refused = withRequestContext({ requestId: 'r', deadlineMs: Date.now() + 50 }, () => failureOf(client.call.echo({ text: '' })));
  expect(await refused).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(client.unaryCallTotal()).toBe(1);
});

test('a caller that gives up cancels the whole chain', async () => {
  const arrived = deferred<void>();
  const stopped = deferred<void>();
  const back = await startEcho({
    echo: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        arrived.resolve();
        signal.addEventListener('abort', () => {
          stopped.resolve();
          reject(signal.reason);
        });
      }),
  });
  const onward = connect(back.server.address);
  const front = await startEcho({ echo: (request) => onward.call.echo(request) });
  const caller = new AbortController();
  const call = failureOf(connect(front.server.address).call.echo({ text: '' }, { signal: caller.signal }));
  await arrived.promise;
  caller.abort();
  expect(await call).toMatchObject({ code: 'CANCELLED' });
  await stopped.promise;
});

test('UNAVAILABLE is tried three times, on idempotent methods that a breaker guards alone', async () => {
  const { server } = await startEcho();
  const { address } = server;
  await server.close();
  const client = connect(address);
  expect(await failureOf(client.call.echo({ text: '' }))).toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
  expect(client.unaryCallTotal('echo')).toBe(3);
  expect(await failureOf(client.call.echoOnce({ text: '' }))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(client.unaryCallTotal('echoOnce')).toBe(1);
  const unguarded = connect(address, { unguarded: ['echo'] });
  expect(await failureOf(unguarded.call.echo({ text: '' }))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(unguarded.unaryCallTotal('echo')).toBe(1);
});

/** Service whose answers wait for `release`, with the texts of calls received. */
async function startWaiting() {
  const release = deferred<void>();
  const reached: string[] = [];
  const { server } = await startEcho({
    echo: async ({ text }) => {
      reached.push(text);
      await release.promise;
      return { text };
    },
  });
  return { client: connect(server.address), release, reached };
}

test('the 201st call in flight is refused as overloaded', async () => {
  const { client, release } = await startWaiting();
  const waiting = Array.from({ length: 200 }, () => client.call.echo({ text: '' }));
  expect(await failureOf(client.call.echo({ text: '' }))).toMatchObject({ code: 'UNAVAILABLE', reason: 'overloaded' });
  release.resolve();
  await Promise.all(waiting);
  expect(await client.call.echo({ text: 'free again' })).toEqual({ text: 'free again' });
});

test('a tenant has a quarter of the calls in flight; its further calls wait, and those of others do not', async () => {
  const { client, release, reached } = await startWaiting();
  const callOf = (tenantId: string) => withRequestContext({ requestId: 'r', tenantId }, () => client.call.echo({ text: tenantId }));
  const crowd = Array.from({ length: 90 }, () => callOf('crowd'));
  const other = callOf('other');
  while (reached.length < 51) await new Promise((resolve) => setImmediate(resolve));
  expect(reached.filter((tenant) => tenant === 'other')).toEqual(['other']);
  expect(client.unaryCallTotal()).toBe(51);
  release.resolve();
  await Promise.all([...crowd, other]);
  expect(client.unaryCallTotal()).toBe(91);
});

test('a call that waits too long for its tenant is refused, and nothing is sent for it', async () => {
  const { client, release } = await startWaiting();
  const call = () => withRequestContext({ requestId: 'r', tenantId: 'crowd' }, () => client.call.echo({ text: '' }));
  const crowd = Array.from({ length: 50 }, call);
  expect(await failureOf(call())).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_calls_at_once' });
  expect(client.unaryCallTotal()).toBe(50);
  release.resolve();
  await Promise.all(crowd);
});

test('a message over 4 MiB is refused', async () => {
  const { server } = await startEcho();
  const error = await failureOf(connect(server.address).call.echo({ text: 'x'.repeat(4 * 1_024 * 1_024) }));
  expect(error.reason).toBe('message_too_large');
});

test('a handler sees its own context', async () => {
  let same = false;
  const { server } = await startEcho({
    echo: async ({ text }, context) => {
      same = currentRequestContext()?.signal === context.signal;
      return { text };
    },
  });
  await connect(server.address).call.echo({ text: '' });
  expect(same).toBe(true);
});
