import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { openApiDocument } from '../src/serving/openapi/document';
import { operations, type Operation } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answersWithEvents, goodRequest, NEEDS_SESSION, seedGoodRequests, seedPackets } from './stand-in/good-requests';
import { expectQuoted, hasComparableQuote } from './stand-in/quoted-call';

const BOOT_WINDOW_END_MS = lastWindowEndMs();

describe('the list of routes', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    seedPackets(booted.labeling, BOOT_WINDOW_END_MS);
    seedGoodRequests(booted.account);
  });
  afterAll(() => booted.close());

  const call = (operation: Operation) => {
    const { path, ...request } = goodRequest(operation, BOOT_WINDOW_END_MS);
    return booted.keyed(path, request);
  };

  it.each(operations.filter((operation) => !answersWithEvents(operation)).map((operation) => [operation.operationId, operation] as const))(
    '%s is served, by its quote where it is priced: with the rows that this says',
    async (_id, operation) => {
      if (hasComparableQuote(operation)) await expectQuoted(booted, operation, goodRequest(operation, BOOT_WINDOW_END_MS));
      else expect((await call(operation)).status).toBe(NEEDS_SESSION.has(operation.operationId) ? 409 : 200);
    },
  );

  // The credential matrix covers the others; it reads no streams.
  it.each(
    operations
      .filter((operation) => operation.credential !== 'none' && answersWithEvents(operation))
      .map((operation) => [operation.operationId, operation] as const),
  )('%s is closed without a credential', async (_id, operation) => {
    expect((await booted.get(goodRequest(operation, BOOT_WINDOW_END_MS).path, { method: operation.method.toUpperCase() })).status).toBe(
      401,
    );
  });

  it('serves no method that the document does not list', async () => {
    for (const [path, methods] of Object.entries(openApiDocument.paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (method.toLowerCase() in methods) continue;
        expect((await booted.keyed(path.replace(/\{[^}]+\}/g, 'x'), { method })).status).toBe(405);
      }
    }
  });

  it('gives the same document on its three routes', async () => {
    const texts = await Promise.all(
      ['/openapi.json', '/api/public/market-state/openapi.json', '/api/public/market-state/docs/openapi.json'].map((path) =>
        booted.get(path),
      ),
    );
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
    expect(texts[0]?.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('is printed by npm run routes, a line each', () => {
    const lines = execFileSync(process.execPath, ['tools/routes.mjs'], { cwd: join(import.meta.dirname, '../../..'), encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    const printed = lines.slice(0, -1).map((line) => line.split(/ {2,}/));
    const access = { none: 'public', key: 'key', key_or_session: 'key or session' };
    const expected = operations.map(({ method, credential, metered, path }) => [
      method.toUpperCase(),
      access[credential],
      metered ? 'metered' : 'free',
      path,
    ]);
    expect(printed.sort()).toEqual(expected.sort());
    expect(lines.at(-1)).toBe(`${operations.length} routes`);
  });

  it('answers probes without a credential and metrics on the ops port alone', async () => {
    expect((await booted.get('/livez')).json()).toEqual({ status: 'live' });
    expect(responseCheck('Readiness')((await booted.get('/readyz')).json())).toBeNull();
    expect((await booted.get('/metrics')).status).toBe(404);
    const metrics = await fetch(`http://127.0.0.1:${booted.gateway.opsPort}/metrics`).then((response) => response.text());
    expect(
      /http_server_request_seconds_count\{[^}]*route="\/api\/public\/market-state\/latest",method="GET",status="200"/.test(metrics),
    ).toBe(true);
    expect(metrics.includes('latest_response_invalid_total{')).toBe(false);
  });
});

describe('readiness', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('names what is missing and answers 503 until it is back', async () => {
    booted.dataPlane.setDown('postgres', true);
    await booted.until(async () => (await booted.get('/readyz')).status === 503);
    expect((await booted.get('/readyz')).json()).toMatchObject({ status: 'not_ready', missing: ['data_plane'] });
    booted.dataPlane.setDown('postgres', false);
    const verified = booted.account.verifyTotal();
    booted.account.setDown(true);
    await booted.until(async () => String((await booted.get('/readyz')).json()['missing']) === 'account');
    booted.account.setDown(false);
    await booted.until(async () => (await booted.get('/readyz')).status === 200);
    expect(booted.account.verifyTotal()).toBe(verified);
  });
});
