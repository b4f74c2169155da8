import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examples, type Given } from '../examples';
import { type CallFacts, TransportError } from '../src';
import { describeOperation, operationAt } from '../src/operations';
import { clientWith, json, type Sent } from './fake-fetch';

const METERED = { 'x-credits-charged': '2', 'x-credits-remaining': '98' };

test.each([
  ['GET', '/api/public/market-state/latest?symbol=ALL&tag=a&tag=b', 'getLatest', { symbol: 'ALL', tag: ['a', 'b'] }],
  ['GET', '/api/public/market-state/webhooks/deliveries', 'listWebhookDeliveries', {}],
  ['GET', '/api/public/market-state/webhooks/we_1', 'getWebhook', { webhook_id: 'we_1' }],
  ['DELETE', '/api/public/market-state/webhooks/we_1', 'deleteWebhook', { webhook_id: 'we_1' }],
  ['GET', '/api/public/data/export/jobs/exp_1/files/a%20b.csv', 'getExportFile', { job_id: 'exp_1', name: 'a b.csv' }],
])('%s %s is %s', (method, path, id, params) => {
  expect(operationAt(method, path)).toEqual({ id, params });
});

test('returns null for a path without an operation', () => {
  expect(operationAt('GET', '/api/public/market-state/nothing')).toBeNull();
  expect(operationAt('PUT', '/api/public/market-state/latest')).toBeNull();
  expect(() => operationAt('GET', '/api/public/data/export/jobs/%zz')).toThrow(URIError);
});

test('describes the response of an operation and the request it would send', () => {
  expect(describeOperation('streamData')).toMatchObject({ answers: 'stream', isMetered: true, rows: null });
  expect(describeOperation('listHistory')).toMatchObject({ method: 'GET', answers: 'json', rows: 'rows' });
  expect(describeOperation('getMe')).toMatchObject({ isMetered: false });
  const { ms, sent } = clientWith([]);
  const { path, body } = ms.requestOf('createExportJob', { dataset: 'trades' } as never);
  expect([path, body]).toEqual(['/api/public/data/export/jobs', '{"dataset":"trades"}']);
  expect(ms.requestOf('getLatest', { symbol: 'ALL' }).path).toBe('/api/public/market-state/latest?symbol=ALL');
  expect(sent).toEqual([]);
});

test('calls a plain read without its own example by its path, without parameters', async () => {
  const { ms, sent } = clientWith([json({})]);
  await examples.getLivez(ms, {} as Given);
  expect(sent.map(({ url }) => url.pathname + url.search)).toEqual(['/livez']);
});

test('reports each metered response, and calls an operation by its name', async () => {
  const reported: [string, CallFacts][] = [];
  const { ms, sent } = clientWith([json({ rows: [] }, 200, METERED)], { onAnswer: (id, call) => reported.push([id, call]) });
  await ms.withBudget(10).call('getLatest', { symbol: 'ALL' });
  await ms.call('getMe', {});
  expect(reported.map(([id, { charged, remaining }]) => [id, charged, remaining])).toEqual([['getLatest', 2, 98]]);
  expect(reported[0]?.[1].requestId).toBe(sent[0]?.headers.get('x-request-id'));
});

test('a call that no connection came about for costs nothing of the budget; one that was cut costs all that it could', async () => {
  const failed = (code: string): TypeError => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  const refused = clientWith([failed('ECONNREFUSED')]).ms.withBudget(5);
  await expect(refused.latest.get({ symbol: 'ALL' })).rejects.toBeInstanceOf(TransportError);
  expect(refused.budgetLeft).toBe(5);
  const cut = clientWith([failed('ECONNRESET')]).ms.withBudget(5);
  await expect(cut.latest.get()).rejects.toBeInstanceOf(TransportError);
  expect(cut.budgetLeft).toBe(2);
});

describe('files of a job', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-client-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const content = (name: string): string => name.repeat(1_000);
  const file = (name: string) => ({
    name,
    bytes: content(name).length,
    sha256: createHash('sha256').update(content(name)).digest('hex'),
    download_route: `/api/public/data/export/jobs/exp_1/files/${name}`,
  });
  const names = ['a', 'b', 'c', 'd', 'e'];

  /** Answers as the service does, no file before `together` were asked for at once; `breaks` is cut once. */
  function service(breaks?: string, together = 1) {
    let letGo: () => void = () => undefined;
    const requested = new Promise<void>((resolve) => (letGo = resolve));
    let open = 0;
    let most = 0;
    let isBroken = false;
    const ranges: (string | null)[] = [];
    const reply = async ({ url, headers }: Sent): Promise<Response> => {
      if (url.pathname.endsWith('/result')) return json({ files: names.map(file) });
      const [, name] = /files\/(\w)$/.exec(url.pathname) ?? [];
      if (name === undefined) return json({ job_id: 'exp_1', status: 'ready' });
      most = Math.max(most, (open += 1));
      if (most >= together) letGo();
      await requested;
      open -= 1;
      const [, from = '0'] = /^bytes=(\d+)-$/.exec(headers.get('range') ?? '') ?? [];
      ranges.push(headers.get('range'));
      const bytes = new TextEncoder().encode(content(name).slice(Number(from)));
      if (name !== breaks || isBroken) return new Response(bytes, { status: from === '0' ? 200 : 206 });
      isBroken = true;
      const pieces = [bytes.slice(0, 300)];
      return new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            const piece = pieces.shift();
            if (piece === undefined) controller.error(new TypeError('terminated'));
            else controller.enqueue(piece);
          },
        }),
      );
    };
    return { ...clientWith([reply]), most: () => most, ranges };
  }

  test('are read so many at once, in their order, and one that was cut goes on where it was', async () => {
    const { ms, most, ranges } = service('c', 3);
    const had: string[] = [];
    const options = {
      parallel: 3,
      onBytes: ({ name }: { readonly name: string }, sizeBytes: number): unknown => had.push(`${name} ${sizeBytes}`),
    };
    const written = await ms.exports.download('exp_1', folder, options);
    expect(written.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(names.map(content));
    expect(most()).toBe(3);
    expect(ranges).toContain('bytes=300-');
    expect(had).toEqual(expect.arrayContaining(['a 0', 'a 1000', 'c 300', 'c 1000']));
  });

  test('that are there are kept, and a wrong digest stops all of them', async () => {
    const again = service();
    await again.ms.exports.download('exp_1', folder, { parallel: 2 });
    expect(again.ranges).toEqual([]);
    writeFileSync(join(folder, 'b'), 'other');
    writeFileSync(join(folder, 'b.part'), 'x');
    await expect(again.ms.exports.download('exp_1', folder)).rejects.toMatchObject({ code: 'sha256_mismatch' });
    await expect(again.ms.exports.download('exp_1', folder, { parallel: 9 })).rejects.toBeInstanceOf(RangeError);
  });
});

test('the body of a file fails when no more data arrives or the caller aborts it', async () => {
  const silent = () => Promise.resolve(new Response(new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })));
  const { ms } = clientWith([silent]);
  const { response } = await ms.events.bundle({ event_id: 'evt_1' }, { timeoutMs: 20 });
  await expect(response.arrayBuffer()).rejects.toThrow('No complete response arrived in time.');
  const stop = new AbortController();
  const ended = await ms.events.bundle({ event_id: 'evt_1' }, { signal: stop.signal });
  const reading = ended.response.arrayBuffer();
  stop.abort(new Error('ended by the caller'));
  await expect(reading).rejects.toThrow('ended by the caller');
});
