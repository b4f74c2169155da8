import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { PAGES } from './src/pages';

const ASSETS = 'assets';
const HASH_CHARACTERS = 12;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Files that the gateway serves, and for which paths it serves the page. */
export interface PortalManifest {
  readonly schema: 'market_state_portal.v1';
  readonly html: string;
  readonly pages: readonly string[];
  /** Paths below the build's folder; each holds its hash, so that it means the same bytes for good. */
  readonly files: readonly string[];
}

/** Puts the theme's file ahead of everything else that the page loads. */
function themeAtOnce(): Plugin {
  const source = readFileSync(here('./src/theme/theme-at-once.js'), 'utf8')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/\n\s*/g, '\n');
  const hash = createHash('sha256').update(source).digest('hex').slice(0, HASH_CHARACTERS);
  const fileName = `${ASSETS}/theme-${hash}.js`;
  return {
    name: 'theme-at-once',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' }],
  };
}

function pageManifest(): Plugin {
  return {
    name: 'page-manifest',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const manifest: PortalManifest = {
        schema: 'market_state_portal.v1',
        html: 'index.html',
        pages: Object.values(PAGES).map(({ pattern }) => pattern),
        files: Object.keys(bundle)
          .filter((file) => file.startsWith(`${ASSETS}/`))
          .sort(),
      };
      this.emitFile({ type: 'asset', fileName: 'portal.json', source: `${JSON.stringify(manifest, null, 2)}\n` });
    },
  };
}

export default defineConfig({
  root: here('.'),
  base: '/',
  publicDir: false,
  plugins: [react(), themeAtOnce(), pageManifest()],
  build: {
    outDir: here('../../dist/portal'),
    emptyOutDir: true,
    assetsDir: ASSETS,
    // No file in the page's own text: an inline picture or script would need an exception of its headers.
    assetsInlineLimit: 0,
    target: 'es2023',
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
