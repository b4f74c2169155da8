import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWorkplace } from './run';

/** Response of the stand-in service to every call except the one for a receipt. */
interface Answered {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const RECEIPT: Answered = { status: 200, body: { receipt_id: 'rcp_1', rows: [{}] } };
let answers: readonly Answered[] = [];
let calls = 0;
const server: Server = createServer((request, response) => {
  const isReceipt = request.url?.includes('/usage/receipt') === true;
  const reported = isReceipt ? RECEIPT : (answers[Math.min(calls, answers.length - 1)] as Answered);
  if (!isReceipt) calls += 1;
  response.writeHead(reported.status, { 'content-type': 'application/json', ...reported.headers }).end(JSON.stringify(reported.body));
});
let place: ReturnType<typeof createWorkplace>;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  place = createWorkplace({ url, apiKey: 'msk_live_test' });
});
afterAll(() => {
  place.remove();
  server.close();
});

function problem(status: number, code: string, detail: string, headers: Record<string, string> = {}): Answered {
  return { status, body: { type: 'about:blank', title: code, status, code, detail }, headers };
}

function latest(freshness: string, state: string): Answered {
  const meta = { response_state: 'live', response_semantics: { stale: freshness === 'stale', freshness_state: freshness } };
  return { status: 200, body: { rows: [{ symbol: 'BTCUSD-PERP', state }], meta } };
}

async function ask(given: readonly Answered[], ...args: readonly string[]) {
  [answers, calls] = [given, 0];
  return { ...(await place.run(...args)), calls };
}

const LATEST = ['get', 'latest', 'BTCUSD-PERP', '--output', 'ndjson'];

test.each([
  ['stale data', latest('stale', 'depth_watch'), 6],
  ['evidence that does not suffice', latest('fresh', 'insufficient_evidence'), 6],
  ['data of now', latest('fresh', 'depth_watch'), 0],
])('%s is shown', async (_, answer, exitCode) => {
  const outcome = await ask([answer], ...LATEST);
  expect([outcome.exitCode, outcome.lines.length]).toEqual([exitCode, 1]);
});

test('a single 429 is retried after Retry-After; after three attempts the error names that wait', async () => {
  const limited = problem(429, 'rate_limited', 'Too many calls.', { 'retry-after': '0' });
  expect(await ask([limited, latest('fresh', 'depth_watch')], ...LATEST)).toMatchObject({ exitCode: 0, calls: 2 });
  const refused = await ask([limited], ...LATEST);
  expect(refused).toMatchObject({ exitCode: 5, calls: 3 });
  expect(refused.stderr).toMatch(/returned 429 rate_limited: Too many calls\.\n[^\n]*Retry after 0 s\./);
  const long = await ask([problem(429, 'rate_limited', 'Too many calls.', { 'retry-after': '90' })], ...LATEST);
  expect([long.exitCode, long.calls, long.stderr]).toEqual([5, 1, expect.stringContaining('Retry after 90 s.')]);
});

test.each([
  [
    'a ceiling',
    problem(402, 'credit_ceiling', 'The ceiling of the key is met until 2026-01-02T00:00:00Z.'),
    5,
    '402 credit_ceiling: The ceiling',
  ],
  [
    'what is no longer kept',
    problem(410, 'beyond_retention', 'Rows from before 2026-01-01T00:00:00Z are not kept.'),
    3,
    'before 2026-01-01T00:00:00Z',
  ],
  ['a scope that lacks', problem(403, 'missing_scope', 'The key lacks the scope read.'), 4, '403 missing_scope'],
  ['no such thing', problem(404, 'not_found', 'There is no such symbol.'), 2, '404 not_found'],
  ['a fault of the service', problem(500, 'internal', 'Something went wrong.'), 3, '500 internal'],
])('%s ends with its exit code and says why, after one attempt', async (_, refusal, exitCode, words) => {
  const outcome = await ask([refusal], ...LATEST);
  expect(outcome).toMatchObject({ exitCode, stdout: '', calls: 1 });
  expect(outcome.stderr).toContain(words);
  expect(outcome.stderr).toMatch(/Request id: req_\w+\./);
});

const FIRST_PAGE: Answered = { status: 200, body: { rows: [{ gap_id: 'gap_1' }, { gap_id: 'gap_2' }], next_cursor: 'c_2' } };
const NO_CREDITS = problem(402, 'insufficient_credits', 'The balance is 0.');

test.each([
  ['table', /^gap_id\s*\ngap_1\s*\ngap_2\s*\n$/],
  ['csv', /^gap_id\ngap_1\ngap_2\n$/],
  ['ndjson', /^\{"gap_id":"gap_1"\}\n\{"gap_id":"gap_2"\}\n$/],
  ['json', /^\[\n {2}\{\n {4}"gap_id": "gap_1"\n {2}\},\n {2}\{\n {4}"gap_id": "gap_2"\n {2}\}\n\]\n$/],
])('what was read before a refusal is shown as %s, and closed', async (format, shown) => {
  const outcome = await ask([FIRST_PAGE, NO_CREDITS], 'get', 'gaps', 'BTCUSD-PERP', '--fields', 'gap_id', '--output', format);
  expect(outcome.stdout).toMatch(shown);
  expect([outcome.exitCode, outcome.calls]).toEqual([5, 2]);
  expect(outcome.stderr).toContain('402 insufficient_credits');
});

test.each(['table', 'csv', 'ndjson', 'json'])('a list that is refused at once writes nothing as %s', async (format) => {
  expect(await ask([NO_CREDITS], 'get', 'gaps', 'BTCUSD-PERP', '--output', format)).toMatchObject({ exitCode: 5, stdout: '' });
});
