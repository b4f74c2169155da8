import { SESSION_COOKIE } from '../src/serving/auth/credential';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answerFault, JSON_OPERATIONS } from './stand-in/answer-check';
import { goodRequest, seedGoodRequests } from './stand-in/good-requests';
import { packetRecord } from './stand-in/packet-record';

const WINDOW_END_MS = lastWindowEndMs();

describe('every operation that answers with JSON', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    for (const ageMs of [900_000, 60_000, 0]) booted.labeling.store(packetRecord('BTCUSD-PERP', WINDOW_END_MS - ageMs));
  });
  afterAll(() => booted.close());

  function credentialFor(operationId: string): Readonly<Record<string, string>> {
    if (operationId === 'logOut') return { cookie: `${SESSION_COOKIE}=${booted.account.openSession()}` };
    return { 'x-market-state-api-key': booted.key };
  }

  it.each(JSON_OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    '%s answers as the document describes it, without a further field',
    async (_id, operation) => {
      seedGoodRequests(booted.account);
      const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
      const headers = operation.credential === 'none' ? request.headers : { ...request.headers, ...credentialFor(operation.operationId) };
      expect((await booted.get(path, { ...request, headers })).status).toBe(200);
    },
  );

  it('is found out where a field is not described, deep inside an answer too', async () => {
    const path = '/api/public/data/status/freshness?symbol=BTCUSD-PERP';
    const response = await booted.keyed(path);
    const body = response.json<{ readonly channels: readonly object[] }>();
    const planted = { ...body, channels: [{ ...body.channels[0], mood: 'calm' }] };
    expect(answerFault(path, {}, { ...response, text: JSON.stringify(planted) })).toContain('mood');
    expect(answerFault(path, {}, response)).toBeNull();
  });
});
