import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@market-state/config';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const HTML = '<!doctype html><html lang="en"><script src="/assets/main-0a1b2c3d.js"></script>';
const LIVE_HTML = `${HTML}<link rel="modulepreload" href="/assets/live-0a1b2c3d.js">`;
const NOT_FOUND_HTML = `${HTML}<link rel="modulepreload" href="/assets/not-found-0a1b2c3d.js">`;
const SCRIPT = 'export const answer = 42;\n'.repeat(100);
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types portal-worker";

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let folder: string;
let booted: BootedGateway;

function writeBuild(manifest: object): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'portal.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'index.html'), HTML);
  writeFileSync(join(folder, 'live.html'), LIVE_HTML);
  writeFileSync(join(folder, 'not-found.html'), NOT_FOUND_HTML);
  writeFileSync(join(folder, 'assets', 'main-0a1b2c3d.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'unnamed.js'), 'export {};');
}

const MANIFEST = {
  schema: 'market_state_portal.v3',
  pages: [
    { pattern: '/', html: 'index.html' },
    { pattern: '/live', html: 'live.html' },
    { pattern: '/live/:symbol', html: 'live.html' },
  ],
  not_found: 'not-found.html',
  files: ['assets/main-0a1b2c3d.js'],
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-state-portal-'));
  writeBuild(MANIFEST);
  booted = await bootGateway({ config: { portalDir: folder, staticRate: { perMinute: 60, burst: 30 } } });
});
afterAll(async () => {
  await booted.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(['/', '/?packet=1', '/live', '/live/BTCUSD-PERP', '/live/BTCUSD-PERP?view=depth'])(
  '%s is its page, asked for again each time',
  async (path) => {
    const page = await booted.get(path);
    expect([page.status, page.text]).toEqual([200, path.startsWith('/live') ? LIVE_HTML : HTML]);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(
      String(page.headers['content-security-policy'])
        .split(';')
        .map((each) => each.trim()),
    ).toEqual(CSP.split('; '));
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.headers['x-request-id']).toBeDefined();
  },
);

it('a file of the build is kept for good, and answers 304 to who has it', async () => {
  const file = await booted.get('/assets/main-0a1b2c3d.js');
  expect([file.status, file.text]).toEqual([200, SCRIPT]);
  expect(file.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const again = await booted.get('/assets/main-0a1b2c3d.js', { headers: { 'if-none-match': String(file.headers['etag']) } });
  expect(again.status).toBe(304);
});

it.each([
  '//',
  '/live/',
  '/live/a/b',
  '/Live',
  '/index.html',
  '/portal.json',
  '/assets/unnamed.js',
  '/assets/../portal.json',
  '/live%2Fx',
  '/%6Cive',
])('%s is none of the portal: the JSON 404 stays', async (path) => {
  const answer = await booted.get(path);
  expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
});

it('a page says that it was requested with a session cookie, and is cached apart from the one without', async () => {
  const cookie = `${SESSION_COOKIE}=${'x'.repeat(43)}`;
  for (const path of ['/', '/live', '/none']) {
    const [plain, own] = await Promise.all([BROWSER, { ...BROWSER, cookie }].map((headers) => booted.get(path, { headers })));
    expect([plain?.text.includes('data-session'), own?.text]).toEqual([false, expect.stringContaining('<html data-session lang="en">')]);
    expect(own?.headers['vary']).toContain('Cookie');
    expect(own?.headers['etag']).not.toBe(plain?.headers['etag']);
  }
});

it.each(['/none', '/live/', '/docs/none', '/api/public/none'])('%s answers a browser with a page, 404', async (path) => {
  const page = await booted.get(path, { headers: BROWSER });
  expect([page.status, page.text]).toEqual([404, NOT_FOUND_HTML]);
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  expect(page.headers['vary']).toContain('Accept');
});

it('an unknown path answers a program with a problem', async () => {
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
    const answer = await booted.get('/none', { headers: { accept } });
    expect([answer.status, answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  }
  expect((await booted.get('/none', { method: 'POST', headers: BROWSER })).headers['content-type']).toContain('application/problem+json');
});

it('a page only reads', async () => {
  const answer = await booted.get('/live', { method: 'POST' });
  expect([answer.status, answer.headers['allow'], answer.json()]).toMatchObject([405, 'GET, HEAD', { code: 'method_not_allowed' }]);
  const head = await booted.get('/live', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});

it('a folder without a build, or with half of one, is refused at the start by the name of the setting', async () => {
  for (const broken of [
    { ...MANIFEST, files: ['assets/missing.js'] },
    { ...MANIFEST, files: ['../secret.js'] },
    { ...MANIFEST, pages: [{ pattern: '/', html: 'missing.html' }] },
    { ...MANIFEST, pages: [{ pattern: '/', html: '../secret.html' }] },
    { ...MANIFEST, not_found: 'missing.html' },
    { ...MANIFEST, schema: 'other' },
  ]) {
    const half = mkdtempSync(join(tmpdir(), 'market-state-portal-half-'));
    writeFileSync(join(half, 'portal.json'), JSON.stringify(broken));
    writeFileSync(join(half, 'index.html'), HTML);
    writeFileSync(join(half, 'live.html'), LIVE_HTML);
    writeFileSync(join(half, 'not-found.html'), NOT_FOUND_HTML);
    await expect(bootGateway({ config: { portalDir: half } })).rejects.toThrow(ConfigError);
    await expect(bootGateway({ config: { portalDir: half } })).rejects.toThrow(/PORTAL_DIR/);
    rmSync(half, { recursive: true });
  }
});

it('files have a limit of their own, which leaves the routes alone', async () => {
  const statuses = await Promise.all(Array.from({ length: 40 }, () => booted.get('/live').then(({ status }) => status)));
  expect(statuses).toContain(429);
  expect((await booted.get('/livez')).status).toBe(200);
});

it('a gateway without a portal serves its routes, and no page', async () => {
  const alone = await bootGateway();
  expect((await alone.get('/live')).status).toBe(404);
  await alone.close();
});
