import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { account } from '@market-state/contracts';
import { bareCall, callOnce, atOnce, countsOf, lastMsOf, rounded, statusesOf, sumOf } from '@market-state/testing';
import { type SuiteContext, orderFor, receiptsOf } from '../harness';
import { type Scene, CLAIM, LOGIN } from './scene';
import { LATEST, BOOK, TRADES } from '../edge/edge';

const CALLS = 40;
/** The own half is closed up to so long after the request, while it is worked on. */
const CLOSED_MS_MAX = 10;
/** Batches are posted each 100 ms; what would be charged is there by then. */

/** Callers who close their half behind the request: each gets its answer, or is not charged. */
export async function leaveHalfClosed({ gateway, edge }: Scene, { report, random }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'half closed', planId: 'public_pro' });
  const { port } = gateway.process;
  const known = await callOnce(`${gateway.url}${LATEST}`, { key: tenant.key });
  const request = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-market-state-api-key: ${tenant.key}\r\n\r\n`;
  const received = await atOnce(CALLS, (at) => {
    // One call alone, or a quick one that has to wait behind a slower one.
    const text = [request(LATEST), request(`${TRADES}&limit=5`), request(`${BOOK}&depth=5`) + request(LATEST)][at % 3] ?? '';
    return exchangeRaw({ port, text, halfCloseMs: Math.floor(random() * CLOSED_MS_MAX) });
  });
  const answered = sumOf(received.map(goodAnswersIn)) + (known?.status === 200 ? 1 : 0);
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  report.check(charged <= answered, `${charged} calls of half-closed callers were charged, and ${answered} got their answer.`);
  report.figure('half-closed callers: connections, calls answered, charged', `${CALLS}, ${answered}, ${charged}`);
}

/** How a request that is written by hand is sent. */
interface RawOrder {
  readonly port: number;
  readonly text: string;
  /** Ends the own half of the connection so long after the request, milliseconds. By default it stays open. */
  readonly halfCloseMs?: number;
}

const ANSWER_MS_MAX = 10_000;

/** Everything that came back until the peer closed, or nothing came for 10 s. */
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

/** How many answers by 200 there are in what came back. */
function goodAnswersIn(received: string): number {
  return received.split('HTTP/1.1 200').length - 1;
}

const PASSWORD = 'a long pass phrase of the suite';

/** What curl and an SDK send: application/json alone. They may claim and log in; a page of another site may not. */
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

/** Logins at once from as many addresses: passwords are hashed, or the queue is full, and nobody waits for nothing. */
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
  report.check(strange.length === 0, `Logins at once: ${countsOf(statusesOf(strange))} (0: none) beside 401, 429 and 503.`);
  report.check(full.length === 0, `Logins at once: ${full.length} answers by 503 do not say when to come again.`);
  report.figure(
    'logins at once: addresses, by status, last answer after ms',
    `${answers.length}, ${countsOf(statusesOf(answers))}, ${rounded(lastMsOf(answers))}`,
  );
}

const POSTED_MS = 1_500;

/** A read by cookie that another site makes a browser send: 403, and nothing is charged; the same read from the own page is served. */
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
    return report.fail(`No session to read with: the claim got ${claimed?.status ?? 0} ${claimed?.text ?? ''}`);
  const read = async (site: string): Promise<number> =>
    (await callOnce(`${gateway.url}${LATEST}`, { headers: { cookie, 'sec-fetch-site': site } }))?.status ?? 0;
  const crossSite = await read('cross-site');
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  const own = await read('same-origin');
  report.check(crossSite === 403, `A cross-site read by cookie got ${crossSite}.`);
  report.check(charged === 0, 'A cross-site read by cookie was charged.');
  report.check(own === 200, `A read by cookie from the own page got ${own}.`);
  report.figure('reads by cookie: cross-site, charged, own page', `${crossSite}, ${charged}, ${own}`);
}

/** No answer at all, or one of these. */
const REFUSED: readonly (number | undefined)[] = [undefined, status.UNAVAILABLE, status.UNAUTHENTICATED, status.PERMISSION_DENIED];
const { listTenants } = account.OperatorServiceService;
const { issueKey } = account.KeyServiceService;

/** Someone on the same machine who calls account without any credential: no method of it does anything. */
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
  report.figure('gRPC without a credential: ListTenants, IssueKey, tenants made', `${names.join(', ')}, ${rowCount ?? 0}`);
}

/** `Expect` other than 100-continue: 417 in the one error shape, with security headers and a request id. */
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
  report.figure('Expect: foo', `${status}, without ${missing.length === 0 ? 'nothing' : missing.join(', ')}`);
}

/** Two Hosts, a foreign Host and a foreign Host with an own port are refused; each own name is served. */
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
