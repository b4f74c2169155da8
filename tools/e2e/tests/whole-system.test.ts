import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarketState } from '@market-state/client';
import { checkPacket } from '@market-state/client/verify';
import { services } from '@market-state/launcher';
import {
  type CommandLine,
  findChromium,
  freePort,
  keyOfNewTenant,
  launchChromium,
  newVisitor,
  openCommandLine,
  openHttpAgent,
  openPage,
  openPortalAccount,
  scrollTo,
  sharePacket,
  startOidcProvider,
  type TestOidcProvider,
  waitUntil,
} from '@market-state/testing';
import { firstAlertTests } from '../src/cases/clients/first-alert';
import { createDataReader, queryOf, type Receipt, chainedPart, chainOver, type PublicRow } from '../src/cases/data/data-reader';
import { type EventMessage, readEvents } from '../src/cases/data/data-streams';
import { describeMainJob } from '../src/cases/packets/main-job';
import { quickstartTest } from '../src/cases/pages/documentation';
import { createApi, keyHeader } from '../src/system/api';
import type { ReadySystem } from '../src/system/default-system';
import { readDocument } from '../src/system/served-document';
import { type StartedProgram, startProgram } from '../src/system/start-program';

const SYMBOL = 'BTCUSD-PERP';
const MARKET_STATE = '/api/public/market-state';
/** Minimum for a shareable packet and a pass of the recordings. */
const HISTORY_MINUTES = '12';

const folder = mkdtempSync(join(tmpdir(), 'market-state-pass-'));
let provider: TestOidcProvider;
let program: StartedProgram;
let started: ReadySystem;
let ms: MarketState;
let cli: CommandLine;
/** An event of the log's first minutes, which has few inputs. */
let eventId: string;
let nextPackets: Promise<readonly EventMessage[]>;

beforeAll(async () => {
  const port = await freePort();
  provider = await startOidcProvider({ redirectUris: [`http://127.0.0.1:${port}/login`] });
  program = await startProgram({
    FEED_HISTORY_MINUTES: HISTORY_MINUTES,
    PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Company login',
    OIDC_ALLOWED_DOMAINS: 'company.example',
    OIDC_TENANT: 'demo',
  });
  const { system } = program;
  const key = await system.demoKey();
  const api = createApi(system, key);
  started = { system, api, key, served: await readDocument(api) };
  nextPackets = readEvents(`${system.url}${MARKET_STATE}/stream?symbol=${SYMBOL}`, { [keyHeader]: key }, (messages) =>
    messages.some(({ event }) => event === 'packet'),
  );
  nextPackets.catch(() => undefined);
  ms = new MarketState({ baseUrl: system.url, apiKey: await keyOfNewTenant(system) });
  cli = openCommandLine(folder, { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key });
  const [oldest] = (await api.getWithKey(`${MARKET_STATE}/history?symbol=${SYMBOL}&limit=1000`)).body['rows'] as { event_id: string }[];
  eventId = oldest?.event_id ?? '';
});

afterAll(async () => {
  await program?.close();
  await provider?.close();
  rmSync(folder, { recursive: true, force: true });
});

const firstAlert = firstAlertTests(() => started);
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('every registered process is running and ready, and so is the service', async () => {
  const names = Object.values(services).flatMap(({ processes }) => Object.keys(processes));
  expect([...program.opsUrls.keys()].sort()).toEqual(names.sort());
  for (const url of [started.system.url, ...program.opsUrls.values()])
    expect([url, (await fetch(`${url}/readyz`)).status]).toEqual([url, 200]);
});

it('other users of the machine can read nothing in the data folder', () => {
  const { dataDir } = started.system;
  const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('postgres') && (lstatSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077,
  );
  expect([statSync(dataDir).mode & 0o777, open]).toEqual([0o700, []]);
});

describe("an alert with the receiver's three commands", firstAlert.describeCommands);
describe("a customer's first calls", () => describeMainJob(() => started));
quickstartTest(() => started);

it('a new key is charged the cost of each call, quoted calls the quoted price, and the ledger has their receipts', async () => {
  const { data: made } = await ms.keys.create({ name: 'reader', scopes: ['read'] });
  const reader = new MarketState({ baseUrl: started.system.url, apiKey: made.key });
  const quote = await reader.quote('listLatestTrades', { symbol: SYMBOL, limit: 300 });
  const { call: quoted } = await quote.run();
  expect(quoted.charged).toBe(quote.maxCredits);
  const { call } = await reader.latest.get({ symbol: SYMBOL });
  for (const { requestId, charged } of [quoted, call]) {
    const { data } = await waitUntil('the receipt', () => ms.usage.receipt({ request_id: requestId }));
    expect(charged).toBeGreaterThan(0);
    expect(data.observed_market_state_credit_cost).toBe(charged);
  }
  const { data: usage } = await ms.usage.get({ key_id: made.record.key_id, limit: 10 });
  const credits = usage.spend_by_key.map(({ market_state_credits: spent }) => spent);
  expect(credits).toEqual([(quoted.charged ?? 0) + (call.charged ?? 0)]);
});

it('a window of rows has the same receipt as pages and as a stream, and its digest covers the rows', async () => {
  const reader = createDataReader(started.api);
  const { as_of_utc: asOf } = await reader.read('gaps', { symbol: SYMBOL });
  const query = { symbol: SYMBOL, start: Date.parse(asOf) - 30_000, end: Date.parse(asOf) - 10_000, channels: 'book,trades,packets' };
  const page = await waitUntil('a window that is over', () => reader.finishedWindow(query));
  const { receipt, rows, parts } = page;
  expect(rows.length).toBeGreaterThan(0);
  expect([receipt.rows_sent, receipt.rows_expected, receipt.rows_sha256]).toEqual([rows.length, rows.length, chainOver(parts)]);
  expect(receipt.status === 'complete').toBe(receipt.reasons.length === 0);
  const messages = await readEvents(
    `${started.system.url}/api/public/data/stream/replay?${queryOf(query)}&speed=max`,
    { [keyHeader]: started.key },
    (all) => all.at(-1)?.event === 'end',
  );
  const streamed = messages.filter(({ event }) => event === 'row');
  expect(streamed.map(({ data }) => chainedPart(data, JSON.parse(data) as PublicRow))).toEqual(parts);
  expect(JSON.parse(messages.find(({ event }) => event === 'receipt')?.data ?? '{}') as Receipt).toEqual(receipt);
});

it("the gap ledger has the recording's seam, and a window over it names it", async () => {
  const reader = createDataReader(started.api);
  const { rows: ledger } = await reader.read<{ rows: { gap_id: string; reason: string; start_utc: string }[] }>('gaps', { symbol: SYMBOL });
  const seam = ledger.find(({ reason }) => reason === 'recording_seam');
  const startMs = Date.parse(seam?.start_utc ?? '');
  const { gaps } = await reader.window({ symbol: SYMBOL, start: startMs - 5_000, end: startMs + 5_000, channels: 'trades' });
  expect(gaps.map(({ gap_id: id }) => id)).toContain(seam?.gap_id);
});

it('a packet stream sends the next packet, which matches its digest', async () => {
  const { data = '' } = (await nextPackets).find(({ event }) => event === 'packet') ?? {};
  const { packet_digest: digest } = JSON.parse(data) as { packet_digest: string };
  expect(started.served.check(['components', 'schemas', 'StreamPacket'], JSON.parse(data))).toBeNull();
  expect(sha256(data.slice(data.indexOf(',"packet":{') + ',"packet":'.length, -1))).toBe(digest);
});

it("an export is ordered, built, downloaded completely, and matches the service's answers", async () => {
  const endMs = Date.now() - 60_000;
  const [from, to] = [endMs - 120_000, endMs].map((atMs) => new Date(atMs).toISOString());
  const job = await ms.exports.create({ dataset: 'trades', symbols: [SYMBOL], from, to, format: 'csv' });
  const files = await ms.exports.download(job, join(folder, 'export'));
  expect(files.map(({ file }) => file.kind)).toContain('data');
  expect(files.map(({ path }) => sha256(readFileSync(path)))).toEqual(files.map(({ file }) => file.sha256));
  const { exitCode, stdout } = await cli.run(['verify-export', 'export', '--url', started.system.url]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('every row matches the API')]);
});

it("an event's bundle reproduces its packets, signed by published keys", async () => {
  const { exitCode, stdout } = await cli.run(['verify', '--event', eventId]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^BTCUSD-PERP {2}EQUAL: /)]);
  expect(stdout).toMatch(/signatures +[1-9]\d* valid/);
});

it('an agent explains a packet with a tool, which is charged with a receipt', async () => {
  const agent = await openHttpAgent(started.system.url, started.key, 'modern');
  try {
    const { isError, body, cost } = await agent.call('explain_packet', { symbol: SYMBOL });
    expect([isError, body['claim_boundary'], cost.charged > 0]).toEqual([
      false,
      'not_signal_not_advice_not_execution_not_performance',
      true,
    ]);
    expect(cost.receipt_id).toMatch(/^rcp_/);
  } finally {
    await agent.close();
  }
});

it('the documentation is served, and an error names the page of its code', async () => {
  const { url } = started.system;
  const { docs } = (await started.api.get(`${MARKET_STATE}/latest`)).body as { docs: string };
  for (const path of ['/docs', '/docs/start/quickstart', docs]) {
    const page = await fetch(url + path);
    expect([path, page.status, await page.text()]).toEqual([path, 200, expect.stringContaining('<h1')]);
  }
  expect(await (await fetch(`${url}/llms.txt`)).text()).toContain('/docs/');
});

const inBrowser = findChromium() === null ? it.skip : it;
inBrowser('a reader logs in, sees the market, recomputes a packet in the browser, and shares one with a stranger', async () => {
  const { system, api, key } = started;
  const { url } = system;
  const account = await openPortalAccount(system);
  const shared = await sharePacket(url, key);
  const { body: answer } = await api.get(`${MARKET_STATE}/demo/shares/${shared.shareId}`);
  const {
    share_state: state,
    packet,
    proof,
  } = answer as {
    share_state: string;
    packet: object;
    proof: { signature: { signature: string } };
  };
  const check = await checkPacket({ ...proof, ...proof.signature, packet }, (await ms.signingKeys.get()).data);
  expect([state, check]).toEqual(['active', expect.objectContaining({ faults: [], body: true, signature: true, keyValidity: true })]);

  const browser = await launchChromium();
  try {
    const context = await newVisitor({ browser, url, screen: 'desktop', scheme: 'dark' });
    const { page, complaints } = await openPage(context, url, `/s/${shared.shareId}`);
    await scrollTo(page, 'signed with a published key valid at the time');

    await page.goto('/login');
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/live');
    await page.getByText('Published state, age').waitFor();

    await page.goto(`/packet/${eventId}`);
    const panel = page.getByRole('region', { name: 'Recomputed in your browser' });
    await panel.getByRole('button', { name: /^Recompute,/ }).press('Enter');
    await panel.locator('[data-mark="yes"]').nth(2).waitFor();

    await page.goto(`/live/${SYMBOL}`);
    await waitUntil('the published state on the page', async () => {
      const { rows } = (await api.getWithKey(`${MARKET_STATE}/latest?symbol=${SYMBOL}`)).body as {
        rows: { packet: { state_label: string } }[];
      };
      return (await page.innerText('main')).includes(rows[0]?.packet.state_label ?? '');
    });
    await page.goto('/how');
    await page.getByRole('button', { name: /^Account of / }).waitFor();
    await page.goto('/docs/reference/operations/get-latest');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

inBrowser('a person signs in with the login provider, after a refusal of another one', async () => {
  const browser = await launchChromium();
  try {
    const context = await newVisitor({ browser, url: started.system.url, screen: 'phone', scheme: 'light' });
    const page = await context.newPage();
    const signIn = async (email: string): Promise<void> => {
      provider.person = { subject: email, claims: { email, email_verified: true } };
      await page.goto('/login?next=%2Faccount');
      await page.getByRole('button', { name: 'Sign in with Company login' }).click();
    };
    await signIn('eve@elsewhere.example');
    await page.getByText('There is no account for this login, or its email is not verified.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await context.clearCookies({ name: /^_/ });
    await signIn('ada@company.example');
    await page.waitForURL('**/account');
    await page.getByText('ada@company.example').first().waitFor();
    expect((await context.cookies()).find(({ name }) => name === 'svc_market_state_session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Lax',
    });
  } finally {
    await browser.close();
  }
});

describe('the alert arrives', firstAlert.describeArrival);

it('Ctrl-C stops it, and leaves no process or address behind', async () => {
  expect(await program.interrupt()).toEqual({ exitCode: 0, left: [] });
  await expect(fetch(`${started.system.url}/readyz`)).rejects.toThrow();
});
