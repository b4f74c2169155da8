import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { operations, originals } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { READY_JOB } from './stand-in/export';
import { DATA_FILE, DATA_FILE_BYTES } from './stand-in/export-files';

const DATA = '/api/public/data';
const WORKSPACE = '/api/public/market-state/workspace/data';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('the data plane in the workspace', () => {
  let booted: BootedGateway;
  let cookie: string;
  beforeAll(async () => {
    booted = await bootGateway();
    cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
  });
  afterAll(() => booted.close());

  const byKey = (path: string, { headers, ...sent }: Sent = {}) => booted.keyed(`${DATA}${path}`, { ...sent, headers });
  const bySession = (path: string, { headers, ...sent }: Sent = {}) =>
    booted.get(`${WORKSPACE}${path}`, { ...sent, headers: { cookie, ...headers } });

  it('has every route of the data plane once, at the same price and for the same scope, and no other', () => {
    const routes = (all: typeof operations, root: string) =>
      all
        .filter(({ path }) => path.startsWith(`${root}/`))
        .map(({ path, method, price, scope, metered, rateClass, sandbox, windowMsMax, body }) => [
          `${method} ${path.slice(root.length)}`,
          { price, scope, metered, rateClass, sandbox, windowMsMax, body },
        ]);
    expect(routes(operations, WORKSPACE)).toEqual(routes(originals, DATA));
    expect(routes(operations, WORKSPACE).length).toBeGreaterThanOrEqual(25);
  });

  it('answers a session as it answers a key but for who asked, and charges as much', async () => {
    const path = '/book/l2/latest?symbol=BTCUSD-PERP&depth=3';
    const [keyed, session] = await Promise.all([byKey(path), bySession(path)]);
    expect([keyed.status, session.status]).toEqual([200, 200]);
    const rowsOf = ({ meta, ...rows }: Record<string, unknown>) => ({ ...rows, reported: meta !== undefined });
    expect(rowsOf(session.json())).toEqual(rowsOf(keyed.json()));
    expect(session.json()).toMatchObject({ meta: { response_semantics: { auth_state: 'account_session' } } });
    expect(session.headers['x-credits-charged']).toBe(keyed.headers['x-credits-charged']);
  });

  it('names the same faults as the original', async () => {
    const path = '/book/l2/latest?symbol=btc&depth=0&x=1';
    const [keyed, session] = await Promise.all([byKey(path), bySession(path)]);
    expect([session.status, session.json()]).toEqual([422, keyed.json()]);
  });

  it('is priced by the estimate as its original, and keeps to a bound', async () => {
    const estimate = async (root: string) => {
      const route = encodeURIComponent(`${root}/book/l2/latest`);
      return (await booted.keyed(`/api/public/market-state/usage/estimate?route=${route}&depth=1000`)).json<Record<string, unknown>>();
    };
    const [keyed, session] = [await estimate(DATA), await estimate(WORKSPACE)];
    expect([keyed, session]).toMatchObject([
      { route: `${DATA}/book/l2/latest`, estimated_market_state_credit_cost: 5 },
      { route: `${WORKSPACE}/book/l2/latest`, estimated_market_state_credit_cost: 5 },
    ]);
    const bounded = await bySession('/book/l2/latest?depth=1000', { headers: { 'x-max-credits': '1' } });
    expect([bounded.status, bounded.json()['code']]).toEqual([402, 'quote_exceeded']);
  });

  it('orders an export for a page of this service alone, and leads a session to its files', async () => {
    const order = (site: string) =>
      bySession('/export/jobs', { method: 'POST', headers: { 'content-type': 'application/json', 'sec-fetch-site': site } });
    const refused = await order('cross-site');
    expect([refused.status, refused.json()['code']]).toEqual([403, 'csrf_refused']);
    const ordered = await order('same-origin');
    const { job_id: jobId, routes } = ordered.json<{ job_id: string; routes: object }>();
    const job = `${WORKSPACE}/export/jobs/${jobId}`;
    expect([ordered.status, ordered.headers['location'], routes]).toEqual([
      200,
      job,
      { job, result: `${job}/result`, review_pack: `${job}/review-pack` },
    ]);

    const { files } = (await bySession(`/export/jobs/${READY_JOB}/result`)).json<{
      files: readonly { readonly name: string; readonly download_route: string }[];
    }>();
    const route = files.find(({ name }) => name === DATA_FILE)?.download_route ?? '';
    expect(route.startsWith(`${WORKSPACE}/export/jobs/${READY_JOB}/files/`)).toBe(true);
    const loaded = await booted.get(route, { headers: { cookie } });
    expect([loaded.status, loaded.bytes.equals(DATA_FILE_BYTES)]).toEqual([200, true]);
  });

  it('streams to a session', async () => {
    const opened = await bySession('/stream?channels=trades&symbol=BTCUSD-PERP', { method: 'HEAD' });
    expect([opened.status, opened.headers['content-type']]).toEqual([200, expect.stringContaining('text/event-stream')]);
  });
});
