import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createWorkplace, type Workplace } from './run';

export interface SentCall {
  readonly call: string;
  readonly body: unknown;
}

export interface RecordingService {
  /** Runs commands against the service. */
  readonly place: Workplace;
  /** Calls since the start of the test, other than those for receipts. */
  sent: SentCall[];
  /** Answer to each of them. */
  answer: object;
}

/** Service that records each call. Starts before the tests of a file and stops after them. */
export function useRecordingService(): RecordingService {
  const server = createServer((request, response) => {
    void (async () => {
      const isReceipt = request.url?.includes('/usage/receipt') === true;
      const body = await text(request);
      const call = `${request.method} ${request.url?.replace('/api/public/market-state', '')}`;
      if (!isReceipt) service.sent.push({ call, body: body === '' ? undefined : JSON.parse(body) });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isReceipt ? { receipt_id: 'rcp_1', rows: [{}] } : service.answer));
    })();
  });
  let place: Workplace | undefined;
  const service = {
    get place() {
      if (place === undefined) throw new Error('the service starts before the first test');
      return place;
    },
    sent: [] as SentCall[],
    answer: {} as object,
  };
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    place = createWorkplace({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'msk_live_test' });
  });
  afterAll(() => {
    place?.remove();
    server.close();
  });
  beforeEach(() => {
    service.sent = [];
    service.answer = {};
  });
  return service;
}
