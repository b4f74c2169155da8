import { dereference, openApiDocument } from '../src/serving/openapi/document';
import { type Operation, operationById, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { goodRequest, NEEDS_SESSION, seedGoodRequests } from './stand-in/good-requests';

const CODE = 'no_packet_yet';

interface Documented {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

function isDocumented({ path, method }: Operation): boolean {
  const answer = openApiDocument.paths[path]?.[method]?.responses?.['503'];
  const { content } = dereference(openApiDocument, answer ?? {}) as Documented;
  return CODE in (content?.['application/problem+json']?.examples ?? {});
}

describe('before the first packet', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway({ packets: false });
  });
  afterAll(() => booted.close());

  /** Leaves a stream once it has started. */
  async function codeOf(path: string, init: RequestInit): Promise<string | undefined> {
    const leaving = new AbortController();
    const response = await fetch(new URL(path, booted.gateway.url), { ...init, signal: leaving.signal });
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
    if (isProblem) return ((await response.json()) as { readonly code?: string }).code;
    leaving.abort();
    return undefined;
  }

  const withoutSession = operations.filter(({ operationId }) => operationId !== 'logOut' && !NEEDS_SESSION.has(operationId));

  it('the operations whose document says so, and no others, answer 503 no_packet_yet', async () => {
    const given: string[] = [];
    for (const operation of withoutSession) {
      seedGoodRequests(booted.account);
      const { path, ...request } = goodRequest(operation, lastWindowEndMs());
      const headers = {
        ...request.headers,
        ...(operation.credential === 'none' ? {} : { 'x-market-state-api-key': booted.key }),
      } as Record<string, string>;
      if ((await codeOf(path, { method: request.method ?? 'GET', headers, body: request.body ?? null })) === CODE)
        given.push(operation.operationId);
    }
    const documented = operations.filter(isDocumented).map(({ operationId }) => operationId);
    expect(given.toSorted()).toEqual(documented.toSorted());
  });

  it('a data stream of packets begins and waits for the first', async () => {
    const headers = { 'x-market-state-api-key': booted.key };
    expect(await codeOf(`${operationById('streamData').path}?channels=packets`, { headers })).toBeUndefined();
  });
});
