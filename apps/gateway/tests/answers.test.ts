import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { operationById, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answerFault, JSON_OPERATIONS } from './stand-in/answer-check';
import { goodRequest, NEEDS_SESSION, seedGoodRequests, seedPackets } from './stand-in/good-requests';

const WINDOW_END_MS = lastWindowEndMs();

/** Paths of every operation with any method: answers also name routes for other methods than GET. */
const PATHS = operations.map(({ path }) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`));

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function isServedPath(route: string): boolean {
  const [path = ''] = route.split(/[?#]/, 1);
  return PATHS.some((pattern) => pattern.test(path));
}

const [EVENT_ID = ''] = goodRequest(operationById('getEventEvidence'), WINDOW_END_MS).path.split('/').slice(-2);

/** Routes named by an answer that do not exist. */
function unservedIn(text: string): string[] {
  const named = textsOf(JSON.parse(text)).filter((value) => /^\/(api|docs|openapi|llms|\.well-known)\S*$/.test(value));
  return [...new Set(named)].map((route) => route.replace(/\{event_id\}/g, EVENT_ID)).filter((route) => !isServedPath(route));
}

describe('every operation that answers with JSON', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    seedPackets(booted.labeling, WINDOW_END_MS);
  });
  afterAll(() => booted.close());

  function credentialFor(operationId: string): Readonly<Record<string, string>> {
    if (operationId === 'logOut' || NEEDS_SESSION.has(operationId)) return { cookie: `${SESSION_COOKIE}=${booted.account.openSession()}` };
    return { 'x-market-state-api-key': booted.key };
  }

  it.each(JSON_OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    '%s answers as the document describes it, without a further field, and recommends no route that is not served',
    async (_id, operation) => {
      seedGoodRequests(booted.account);
      const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
      const headers = operation.credential === 'none' ? request.headers : { ...request.headers, ...credentialFor(operation.operationId) };
      const { status, text } = await booted.get(path, { ...request, headers });
      expect(status).toBe(200);
      if (operation.method === 'get' && !path.endsWith('openapi.json')) expect(unservedIn(text)).toEqual([]);
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
