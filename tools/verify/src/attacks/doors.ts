import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { account } from '@market-state/contracts';
import { bareCall, callOnce, atOnce, countsOf, lastMsOf, rounded, statusesOf, sumOf } from '@market-state/testing';
import { type SuiteContext, orderFor, receiptsOf } from '../harness';
import { type Scene, CLAIM, LOGIN } from './scene';
import { LATEST, BOOK, TRADES } from '../edge/edge';

const CALLS = 40;
const CLOSED_MS_MAX = 10;
/** Batches are posted every 100 ms, so any charge has arrived after this wait. */

/** Callers that close their write side after the request get an answer or are not charged. */
export async function leaveHalfClosed({ gateway, edge }: Scene, { report, random }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'half closed', planId: 'public_pro' });
  const { port } = gateway.process;
  const known = await callOnce(`${gateway.url}${LATEST}`, { key: tenant.key });
  const request = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-market-state-api-key: ${tenant.key}\r\n\r\n`;
  const received = await atOnce(CALLS, (at) => {
    const text = [request(LATEST), request(`${TRADES}&limit=5`), request(`${BOOK}&depth=5`) + request(LATEST)][at % 3] ?? '';
    return exchangeRaw({ port, text, halfCloseMs: Math.floor(random() * CLOSED_MS_MAX) });
  });
  const answered = sumOf(received.map(goodAnswersIn)) + (known?.status === 200 ? 1 : 0);
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  report.check(charged <= answered, `${charged} calls of half-closed callers were charged, but ${answered} were answered.`);
  report.figure('half-closed callers: connections, calls answered, charged', `${CALLS}, ${answered}, ${charged}`);
}

interface RawOrder {
  readonly port: number;
  readonly text: string;
  readonly halfCloseMs?: number;
}

const ANSWER_MS_MAX = 10_000;

/** Reads until the peer closes or 10 s pass without data. */
function exchangeRaw({ port, text, halfCloseMs }: RawOrder): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setEncoding('latin1');
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    socket.on('connect', () => {
      socket.write(text);
      if (halfCloseMs === 0) socket.end();
      else if (halfCloseMs !== undefined) setTimeout(() => socket.end(), halfCloseMs);
    });
    socket.on('data', (piece: string) => {
      received += piece;
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

function statusOfRaw(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

function goodAnswersIn(received: string): number {
  return received.split('HTTP/1.1 200').length - 1;
}

const PASSWORD = 'a long pass phrase of the suite';

/**
 * Calls with only an application/json content type, as curl and SDKs send them, may claim and log in; a page of another
 * site may not.
 */
export async function openPlainly({ gateway, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'plain client', planId: 'public_builder' });
  const email = `plain-${seed}@example.com`;
  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> =>
    (await callOnce(`${gateway.url}${path}`, { method: 'POST', from: '127.0.5.2', headers, body }))?.status ?? 0;
  const claim = await post(CLAIM, { email, password: PASSWORD, api_key: tenant.key });
  const login = await post(LOGIN, { email, password: PASSWORD });
  const wrong = await post(LOGIN, { email, password: `${PASSWORD}, but wrong` });
  const foreign = await post(LOGIN, { email, password: PASSWORD }, { origin: 'https://evil.example' });
  const crossSite = await post(LOGIN, { email, password: PASSWORD }, { 'sec-fetch-site': 'cross-site' });
  report.check(claim === 200, `A claim by a plain client got ${claim}.`);
  report.check(login === 200, `A login by a plain client got ${login}.`);
  report.check(wrong === 401, `A wrong login by a plain client got ${wrong}.`);
  report.check(foreign === 403 && crossSite === 403, `A login from another site got ${foreign} and ${crossSite}.`);
  report.figure(
    'plain client: claim, login, wrong login; foreign origin, cross-site',
    `${claim}, ${login}, ${wrong}; ${foreign}, ${crossSite}`,
  );
}

const EXPECTED: ReadonlySet<number> = new Set([401, 429, 503]);

/**
 * Concurrent logins from different addresses: each password is hashed or refused because the queue is full, and no
 * caller waits in vain.
 */
export async function logInAtOnce({ gateway, sizes }: Scene, { report }: SuiteContext): Promise<void> {
  const answers = await atOnce(sizes.logins.addresses, (at) =>
    callOnce(`${gateway.url}${LOGIN}`, {
      method: 'POST',
      from: `127.0.6.${at + 1}`,
      headers: { origin: gateway.url, 'sec-fetch-site': 'same-origin' },
      body: { email: `nobody-${at}@example.com`, password: 'no password of anyone' },
    }),
  );
  const strange = answers.filter((answer) => !EXPECTED.has(answer?.status ?? 0));
  const full = answers.filter((answer) => answer?.status === 503 && !(Number(answer.headers['retry-after']) >= 1));
  report.check(
    strange.length === 0,
    `Concurrent logins: ${countsOf(statusesOf(strange))} (0: unanswered) in addition to 401, 429 and 503.`,
  );
  report.check(full.length === 0, `Concurrent logins: ${full.length} of the 503 answers do not say when to retry.`);
  report.figure(
    'concurrent logins: addresses, by status, last answer after ms',
    `${answers.length}, ${countsOf(statusesOf(answers))}, ${rounded(lastMsOf(answers))}`,
  );
}

const POSTED_MS = 1_500;

/**
 * A cookie-authenticated read triggered by another site gets 403 and is not charged; the same read from our own page
 * succeeds.
 */
export async function readCrossSite({ gateway, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'cross site', planId: 'public_builder' });
  const claimed = await callOnce(`${gateway.url}${CLAIM}`, {
    method: 'POST',
    from: '127.0.5.1',
    headers: { origin: gateway.url, 'sec-fetch-site': 'same-origin' },
    body: { email: `cross-site-${seed}@example.com`, password: 'a long pass phrase of the suite', api_key: tenant.key },
  });
  const [cookie = ''] = claimed?.headers['set-cookie']?.map((line) => line.split(';')[0] ?? '') ?? [];
  if (claimed?.status !== 200 || cookie === '')
    return report.fail(`No session for the read: the claim got ${claimed?.status ?? 0} ${claimed?.text ?? ''}`);
  const read = async (site: string): Promise<number> =>
    (await callOnce(`${gateway.url}${LATEST}`, { headers: { cookie, 'sec-fetch-site': site } }))?.status ?? 0;
  const crossSite = await read('cross-site');
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  const own = await read('same-origin');
  report.check(crossSite === 403, `A cross-site cookie read got ${crossSite}.`);
  report.check(charged === 0, 'A cross-site cookie read was charged.');
  report.check(own === 200, `A cookie read from our own page got ${own}.`);
  report.figure('cookie reads: cross-site, charged, own page', `${crossSite}, ${charged}, ${own}`);
}

/** No answer, or one of these statuses. */
const REFUSED: readonly (number | undefined)[] = [undefined, status.UNAVAILABLE, status.UNAUTHENTICATED, status.PERMISSION_DENIED];
const { listTenants } = account.OperatorServiceService;
const { issueKey } = account.KeyServiceService;

/** A caller on the same machine without a credential: every account method refuses it. */
export async function callWithoutCredential({ market, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenantName = `stranger ${seed}`;
  const call = (path: string, message: Buffer): Promise<number | undefined> => bareCall({ address: market.accountAddress, path, message });
  const codes = [
    await call(listTenants.path, Buffer.from(listTenants.requestSerialize({ limit: 10, cursor: '' }))),
    await call(issueKey.path, Buffer.from(issueKey.requestSerialize(orderFor(tenantName)))),
  ];
  const names = codes.map((code) => (code === undefined ? 'no answer' : (status[code] ?? code)));
  const { rowCount } = await edge.pool.query('SELECT 1 FROM tenant WHERE name = $1', [tenantName]);
  report.check(
    codes.every((code) => REFUSED.includes(code)),
    `gRPC without a credential: ListTenants got ${names[0]}, IssueKey ${names[1]}.`,
  );
  report.check(rowCount === 0, 'gRPC without a credential: a key was issued.');
  report.figure('gRPC without a credential: ListTenants, IssueKey, tenants created', `${names.join(', ')}, ${rowCount ?? 0}`);
}

/** An `Expect` other than 100-continue gets 417 in the standard error shape, with security headers and a request id. */
export async function sendStrangeExpect({ gateway }: Scene, { report }: SuiteContext): Promise<void> {
  const { port } = gateway.process;
  const received = await exchangeRaw({
    port,
    text: `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: foo\r\nConnection: close\r\n\r\n`,
  });
  const status = statusOfRaw(received);
  const missing = ['x-request-id:', 'x-content-type-options:', 'application/problem+json', '"request_id"', '"status":417'].filter(
    (part) => !received.toLowerCase().includes(part),
  );
  report.check(status === 417, `Expect: foo got ${status}.`);
  report.check(missing.length === 0, `The answer to Expect: foo lacks ${missing.join(', ')}.`);
  report.figure('Expect: foo', `${status}, missing headers: ${missing.length === 0 ? 'nothing' : missing.join(', ')}`);
}

/** Two Host headers or a foreign Host, with or without our port, are refused; each of our own names is served. */
export async function sendForeignHosts({ gateway }: Scene, { report }: SuiteContext): Promise<void> {
  const { port } = gateway.process;
  const statusFor = async (...hosts: string[]): Promise<number> =>
    statusOfRaw(
      await exchangeRaw({
        port,
        text: `GET /livez HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`,
      }),
    );
  const own = `127.0.0.1:${port}`;
  const twice = await statusFor(own, own);
  const twiceForeign = await statusFor(own, 'evil.example');
  const foreign = await statusFor('evil.example');
  const foreignPort = await statusFor(`evil.example:${port}`);
  const owns = [await statusFor(own), await statusFor(`localhost:${port}`), await statusFor(`[::1]:${port}`)];
  const statuses = `${twice}, ${twiceForeign}, ${foreign}, ${foreignPort}, ${owns.join(' ')}`;
  const isRefused = (status: number): boolean => status === 421 || status === 400;
  report.check(isRefused(twice) && isRefused(twiceForeign), `Two Hosts got ${twice} and ${twiceForeign}.`);
  report.check(foreign === 421 && foreignPort === 421, `A foreign Host got ${foreign}, with the port ${foreignPort}.`);
  report.check(
    owns.every((status) => status === 200),
    `Own names got ${owns.join(', ')}.`,
  );
  report.figure('Hosts: own twice, own and foreign, foreign, foreign with port, own names', statuses);
}
