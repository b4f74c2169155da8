import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from './built-release';

export const DOCS_STYLE = 'body { margin: 0; }';
const FILES = {
  'guides/credits.html': '<!doctype html><p>curl http://base-url.invalid/api</p>',
  'guides/credits.md': '# Credits\n\ncurl http://base-url.invalid/api\n',
  'not-found.html': '<!doctype html><h1>Page not found</h1>',
  'llms.txt': '# Guide\n',
  'assets/site.0a1b2c3d.js': 'addSearch();',
  'assets/search.0a1b2c3d.json': '{}',
  'assets/style.0a1b2c3d.css': DOCS_STYLE,
  'assets/packet.0a1b2c3d.webp': 'drawn',
  'files/client.tgz': 'packed',
  'files/client-py3-none-any.whl': 'zipped',
} as const;

const named = (file: keyof typeof FILES) => ({ file, sha256: hashOf(FILES[file]) });

/** Sample build: a page, its text, llms.txt and a style. */
export const DOCS_MANIFEST = {
  schema: 'market_state_docs.v2',
  base_url: 'http://base-url.invalid',
  pages: [
    {
      path: '/docs/guides/credits',
      html: named('guides/credits.html'),
      text_path: '/docs/guides/credits.md',
      text: named('guides/credits.md'),
    },
  ],
  texts: [{ path: '/llms.txt', text: named('llms.txt') }],
  downloads: [
    { path: '/docs/files/client.tgz', download: named('files/client.tgz') },
    { path: '/docs/files/client-py3-none-any.whl', download: named('files/client-py3-none-any.whl') },
  ],
  not_found: named('not-found.html'),
  scripts: [{ path: '/docs/assets/site.0a1b2c3d.js', script: named('assets/site.0a1b2c3d.js') }],
  indexes: [{ path: '/docs/assets/search.0a1b2c3d.json', index: named('assets/search.0a1b2c3d.json') }],
  pictures: [{ path: '/docs/assets/packet.0a1b2c3d.webp', picture: named('assets/packet.0a1b2c3d.webp') }],
  styles: [{ path: '/docs/assets/style.0a1b2c3d.css', style: named('assets/style.0a1b2c3d.css') }],
};

/** Writes a documentation build. @returns its new folder */
export function writeDocs(manifest: object = DOCS_MANIFEST): string {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-docs-'));
  for (const below of ['guides', 'assets', 'files']) mkdirSync(join(folder, below));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'docs.json'), JSON.stringify(manifest));
  return folder;
}
