import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answersWithEvents, goodRequest, NEEDS_SESSION, seedGoodRequests, seedPackets } from './stand-in/good-requests';

const WINDOW_END_MS = lastWindowEndMs();
const CLOSED = operations.filter(({ credential }) => credential !== 'none').map((operation) => [operation.operationId, operation] as const);

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway();
  seedPackets(booted.labeling, WINDOW_END_MS);
  seedGoodRequests(booted.account);
});
afterAll(() => booted.close());

it.each(CLOSED)('%s: 401 to a malformed key, to a malformed session, and without a credential', async (_id, operation) => {
  const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
  const junk: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-market-state-api-key': 'junk' },
    { cookie: `${SESSION_COOKIE}=junk` },
  ];
  for (const headers of junk)
    expect((await booted.get(path, { ...request, headers: { ...request.headers, ...headers } })).status).toBe(401);
});

it.each(CLOSED.filter(([, operation]) => !answersWithEvents(operation) && operation.operationId !== 'logOut'))(
  '%s: 200 to a key, or 409 where only a session may call',
  async (id, operation) => {
    seedGoodRequests(booted.account);
    const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
    expect((await booted.keyed(path, request)).status).toBe(NEEDS_SESSION.has(id) ? 409 : 200);
  },
);
