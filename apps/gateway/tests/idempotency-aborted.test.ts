import { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { createClient, createHealth, type GrpcClient, startGrpcServer } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger, withRequestContext } from '@market-state/logging';
import { patientPeer, testServing } from '@market-state/testing';
import type { AnyCall, AnyReply } from '../src/serving/answers/handler';
import { jsonRepresentation } from '../src/serving/http/representation';
import { createIdempotency, serveOnce } from '../src/serving/idempotency';
import { operationById } from '../src/serving/openapi/operations';
import { standInIdempotency } from './stand-in/account-idempotency';

describe('a call with an Idempotency-Key whose caller leaves while it is served', () => {
  const closer = createCloser();
  let calls: GrpcClient<account.IdempotencyServiceService>;
  beforeAll(async () => {
    const services = [standInIdempotency()];
    const server = await startGrpcServer({
      ...testServing('account'),
      address: '127.0.0.1:0',
      services,
      health: createHealth([]),
      logger: silentLogger(),
      shutdownWaitMs: 0,
    });
    closer.add('server', () => server.close());
    calls = createClient({ definition: account.IdempotencyServiceService, ...patientPeer('account'), address: server.address });
    closer.add('client', () => calls.close());
  });
  afterAll(() => closer.close());

  const call = (key: string) =>
    ({
      operation: operationById('createShare'),
      grant: { tenantId: 'ten_1' },
      input: { query: {}, path: {}, headers: { 'idempotency-key': key }, body: {} },
    }) as unknown as AnyCall;

  /** The caller leaves once the work is done, or refused. */
  function serveAndLeave(key: string, work: () => AnyReply): Promise<AnyReply> {
    const left = new AbortController();
    return withRequestContext({ requestId: 'left', signal: left.signal }, () =>
      serveOnce(createIdempotency(calls, silentLogger()), call(key), async () => {
        left.abort();
        return work();
      }),
    );
  }

  const serveAgain = (key: string): Promise<AnyReply> =>
    serveOnce(createIdempotency(calls, silentLogger()), call(key), () => Promise.resolve(jsonRepresentation({ made: 'again' })));

  it('has its answer kept for the next try', async () => {
    await serveAndLeave('kept', () => jsonRepresentation({ made: 'once' }));
    expect(await serveAgain('kept')).toMatchObject({ headers: { 'Idempotency-Replayed': 'true' } });
  });

  it('leaves its key free if it was refused', async () => {
    const refused = serveAndLeave('refused', () => {
      throw notFound('unknown_packet', 'No event has this id.');
    });
    await expect(refused).rejects.toMatchObject({ reason: 'unknown_packet' });
    expect(await serveAgain('refused')).not.toHaveProperty('headers');
  });
});
