import { rmSync } from 'node:fs';
import { ConfigError } from '@market-state/config';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { DOCS_MANIFEST, DOCS_STYLE, writeDocs } from './stand-in/built-docs';
import { hashOf } from './stand-in/built-release';

describe('the documentation', () => {
  let folder: string;
  let booted: BootedGateway;
  beforeAll(async () => {
    folder = writeDocs();
    booted = await bootGateway({ config: { docsDir: folder } });
  });
  afterAll(async () => {
    await booted.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has pages that run only scripts of this server, with the address of this server in them', async () => {
    const page = await booted.get('/docs/guides/credits');
    expect([page.status, page.headers['content-type'], page.headers['cache-control'], page.headers['vary']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
      'Accept-Encoding, Accept',
    ]);
    expect(page.text).toBe(`<!doctype html><p>curl ${booted.gateway.url}/api</p>`);
    const policy = String(page.headers['content-security-policy']).split(/; ?/);
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "style-src 'self'", "form-action 'none'", "frame-ancestors 'none'"]),
    );
    expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'"]));
    expect(policy.join()).not.toMatch(/unsafe/);
  });

  it.each([
    ['/docs/guides/credits.md', {}],
    ['/docs/guides/credits', { accept: 'text/markdown' }],
    ['/docs/guides/credits', { accept: 'text/markdown, text/html;q=0.5' }],
  ])('%s asked for with %o is the text of the page', async (path, headers) => {
    const text = await booted.get(path, { headers });
    expect([text.status, text.headers['content-type'], text.text]).toEqual([
      200,
      'text/markdown; charset=utf-8',
      `# Credits\n\ncurl ${booted.gateway.url}/api\n`,
    ]);
  });

  it.each(['*/*', 'text/html, text/markdown', 'text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'])(
    'a page asked for with %s comes as HTML',
    async (accept) => {
      expect((await booted.get('/docs/guides/credits', { headers: { accept } })).headers['content-type']).toBe('text/html; charset=utf-8');
    },
  );

  it.each([
    ['/docs/assets/site.0a1b2c3d.js', 'text/javascript; charset=utf-8', 'addSearch();'],
    ['/docs/assets/search.0a1b2c3d.json', 'application/json; charset=utf-8', '{}'],
  ])('has its script and its search index, which may be kept for good: %s', async (path, mediaType, text) => {
    const answer = await booted.get(path);
    expect([answer.text, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      text,
      mediaType,
      'public, max-age=31536000, immutable',
    ]);
  });

  it('answers a browser with its page for missing addresses, below its own path alone', async () => {
    const headers = { accept: 'text/html' };
    const missing = await booted.get('/docs/guides/missing', { headers });
    expect([missing.status, missing.headers['content-type'], missing.headers['cache-control'], missing.text]).toEqual([
      404,
      'text/html; charset=utf-8',
      'no-store',
      '<!doctype html><h1>Page not found</h1>',
    ]);
    expect((await booted.get('/documents', { headers })).headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });

  it('has a style and pictures that may be kept for good, packages to install, and llms.txt as plain text', async () => {
    const style = await booted.get('/docs/assets/style.0a1b2c3d.css');
    expect([style.text, style.headers['cache-control']]).toEqual([DOCS_STYLE, 'public, max-age=31536000, immutable']);
    const packed = await booted.get('/docs/files/client.tgz');
    expect([packed.text, packed.headers['content-type']]).toEqual(['packed', 'application/gzip']);
    const wheel = await booted.get('/docs/files/client-py3-none-any.whl');
    expect([wheel.text, wheel.headers['content-type']]).toEqual(['zipped', 'application/zip']);
    const picture = await booted.get('/docs/assets/packet.0a1b2c3d.webp');
    expect([picture.text, picture.headers['content-type'], picture.headers['cache-control']]).toEqual([
      'drawn',
      'image/webp',
      'public, max-age=31536000, immutable',
    ]);
    const llms = await booted.get('/llms.txt');
    expect([llms.text, llms.headers['content-type']]).toEqual(['# Guide\n', 'text/plain; charset=utf-8']);
  });

  it.each(['/docs', '/docs/guides', '/docs/guides/credits/', '/docs/docs.json', '/docs/guides/credits.html', '/docs/../docs.json'])(
    '%s is none of its pages: the JSON 404 stays',
    async (path) => {
      const answer = await booted.get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    },
  );

  it('a page only reads', async () => {
    const answer = await booted.get('/docs/guides/credits', { method: 'POST' });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

it('a folder without a build, or with a file that its manifest does not name so, is refused at the start by the name of the setting', async () => {
  const [page] = DOCS_MANIFEST.pages;
  for (const broken of [
    { ...DOCS_MANIFEST, schema: 'other' },
    { ...DOCS_MANIFEST, pages: [] },
    { ...DOCS_MANIFEST, pages: [{ ...page, html: { file: '../secret.html', sha256: hashOf('') } }] },
    { ...DOCS_MANIFEST, pages: [{ ...page, html: { file: 'missing.html', sha256: hashOf('') } }] },
    { ...DOCS_MANIFEST, pages: [{ ...page, html: { file: 'guides/credits.html', sha256: hashOf('other') } }] },
  ]) {
    const docsDir = writeDocs(broken);
    const boot = bootGateway({ config: { docsDir } });
    await expect(boot).rejects.toThrow(ConfigError);
    await expect(boot).rejects.toThrow(/DOCS_DIR/);
    rmSync(docsDir, { recursive: true });
  }
});
