import { join } from 'node:path';
import { findChromium, openBrowserPage } from '@market-state/testing';
import { openApiDocument } from '../src/serving/openapi/document';
import { type BootedGateway, bootGateway } from './stand-in/boot';

/** Where pictures of the page go, for those who want to look at it; none are made without it. */
const PICTURES_DIR = process.env['PICTURES_DIR'];

/** Counted as skipped where there is no browser. */
const inBrowser = findChromium() === null ? it.skip : it;

const SIZES = [
  ['desktop', { width: 1_400, height: 1_000, mobile: false }],
  ['phone', { width: 390, height: 844, mobile: true }],
] as const;

/** Text of the page, of what its elements draw inside themselves too. */
const VISIBLE_TEXT =
  `(() => { const text = (node) => [...node.childNodes].map((child) => child.nodeType === 3 ? child.data : ['STYLE', ` +
  `'SCRIPT', 'NOSCRIPT'].includes(child.nodeName) ? '' : text(child) + (child.shadowRoot ? text(child.shadowRoot) : '')).join(' '); ` +
  `return text(document.body); })()`;

describe('the reference page', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('may run scripts of this server alone, nothing inline and nothing made of text', async () => {
    const page = await booted.get('/docs');
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const policy = String(page.headers['content-security-policy'])
      .split(';')
      .map((directive) => directive.trim());
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(policy.filter((directive) => directive.includes('unsafe')).map((directive) => directive.split(' ')[0])).toEqual(['style-src']);
    expect(page.text.replaceAll(`${booted.gateway.url}/api/`, '')).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|https?:\/\//);
  });

  it.each(['/docs', '/llms.txt'])('%s begins with the header of the key and a first call that is answered as it stands', async (path) => {
    const { text } = await booted.get(path);
    const [before = '', first = ''] = text.split(/(?<=curl -H 'x-market-state-api-key: YOUR_KEY' '[^']+')/);
    expect(before).toContain('x-market-state-api-key');
    expect(before.length).toBeLessThan(1_500);
    const call = (/YOUR_KEY' '([^']+)'$/.exec(before)?.[1] ?? '').replaceAll('&amp;', '&');
    expect(call.startsWith(`${booted.gateway.url}/`)).toBe(true);
    expect((await booted.keyed(call.slice(booted.gateway.url.length))).status).toBe(200);
    const sandbox = /^[^]*?curl -X POST '([^']+)'/.exec(first)?.[1] ?? '';
    expect((await booted.get(sandbox.slice(booted.gateway.url.length), { method: 'POST' })).status).toBe(200);
  });

  it('names files that may be kept for good, and none that are not there', async () => {
    const files = [...(await booted.get('/docs')).text.matchAll(/(?:src|href)="(docs\/assets\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    expect(files).toHaveLength(2);
    for (const file of files) {
      const answer = await booted.get(file);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect((await booted.get(file, { headers: { 'if-none-match': String(answer.headers['etag']) } })).status).toBe(304);
      expect((await booted.get(file, { headers: { 'accept-encoding': 'br' } })).headers['content-encoding']).toBe('br');
    }
    expect((await booted.get('/docs/assets/other.js')).status).toBe(404);
  });

  it('leaves every other answer with nothing that it may run or load', async () => {
    const answer = await booted.get('/openapi.json');
    expect(String(answer.headers['content-security-policy'])).not.toContain("'self'");
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  inBrowser.each(SIZES)('is drawn on a %s in a real browser, which asks no other server', async (name, size) => {
    const { page, requests, complaints, close } = await openBrowserPage(size);
    try {
      await page.goto(`${booted.gateway.url}/docs`);
      const { summary = '' } = openApiDocument.paths['/api/public/market-state/latest']?.['get'] ?? {};
      await booted.until(async () => String(await page.evaluate(VISIBLE_TEXT)).includes(summary));
      const text = String(await page.evaluate(VISIBLE_TEXT));
      expect(text).toContain(openApiDocument.info.title);
      if (PICTURES_DIR !== undefined) await page.screenshot({ path: join(PICTURES_DIR, `docs-${name}.png`) });
      expect(requests.length).toBeGreaterThanOrEqual(4);
      expect(requests.filter((url) => new URL(url).origin !== booted.gateway.url)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      expect(await page.evaluate('localStorage.length')).toBe(0);
    } finally {
      await close();
    }
  });
});
