import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown, type Rollup } from 'vite';
import { PAGES } from './src/pages';

const ASSETS = 'assets';
const HASH_CHARACTERS = 12;
/**
 * Names of files: the first script of every page lists them all, and a hash does not compress. 42 bits tell versions of a file apart; the
 * bundler needs as many for more than 64 files.
 */
const NAMES = `${ASSETS}/[name]-[hash:7]`;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Files that the gateway serves, and which page it serves for which paths. */
export interface PortalManifest {
  readonly schema: 'market_state_portal.v3';
  /** By path pattern: each page names its own files ahead, so that they are fetched together. */
  readonly pages: readonly { readonly pattern: string; readonly html: string }[];
  /** The page for addresses that no pattern matches. */
  readonly not_found: string;
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

/** A script and all that it imports at once, with their styles; what the page of every path has is left out. */
function filesAhead(bundle: Rollup.OutputBundle, start: string, leftOut: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk' || found.has(file) || leftOut.has(file)) return;
    found.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    chunk.imports.forEach(visit);
  };
  visit(start);
  return [...found].filter((file) => !leftOut.has(file));
}

function linkTo(file: string): string {
  const rel = file.endsWith('.css') ? 'stylesheet' : 'modulepreload';
  return `<link rel="${rel}" crossorigin href="/${file}">`;
}

/** Writes a page for each view, which names the view's files, and the manifest that says which is served where. */
function pageForEachView(): Plugin {
  return {
    name: 'page-for-each-view',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      const html = bundle['index.html'];
      if (entry === undefined || html?.type !== 'asset') return this.error('the build has no page');
      const shared = new Set(filesAhead(bundle, entry.fileName, new Set()));
      const writePage = (name: string): string => {
        const view = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/pages/${name}/${name}-page.tsx`));
        if (view === undefined) return this.error(`the page ${name} has no script of its own`);
        const links = filesAhead(bundle, view.fileName, shared).map(linkTo);
        this.emitFile({
          type: 'asset',
          fileName: `${name}.html`,
          source: String(html.source).replace('</head>', `${links.join('')}</head>`),
        });
        return `${name}.html`;
      };
      const pages = Object.entries(PAGES).map(([name, { pattern }]) => ({ pattern, html: writePage(name) }));
      const files = Object.keys(bundle).filter((file) => file.startsWith(`${ASSETS}/`));
      const manifest: PortalManifest = { schema: 'market_state_portal.v3', pages, not_found: writePage('not-found'), files: files.sort() };
      this.emitFile({ type: 'asset', fileName: 'portal.json', source: `${JSON.stringify(manifest, null, 2)}\n` });
    },
  };
}

/** So many views must need a module for it to be in a file that they share. */
const SHARED_BY = 4;
/** Of those that the first page does not need: what the pages need that have a form and nothing else. */
const FORMS = '/apps/portal/src/account/';
/** What may be in such a file: our own modules, and packages that are small. */
const SHARED = /\/apps\/portal\/src\/(?!pages\/)|\/libs\/|\/@tanstack\/|\/@noble\//;

const PACKET_PARTS = /\/apps\/portal\/src\/pages\/packet\//;

/** A module and all that it needs at once. */
function neededBy(start: string, infoOf: Rolldown.GetModuleInfo): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    infoOf(id)?.importedIds.forEach(visit);
  };
  visit(here(start));
  return found;
}

/**
 * Names the file of a module that several views share: one file has what the first page needs too, one the forms of accounts, another the
 * rest. Without it each module that is needed by other views than the next is a file, a page is made of up to forty, and each is a request.
 */
function sharedFiles(): (id: string, context: { getModuleInfo: Rolldown.GetModuleInfo }) => string | null {
  let [always, first]: (ReadonlySet<string> | undefined)[] = [];
  return (id, context) => {
    if (!SHARED.test(id)) return null;
    const infoOf: Rolldown.GetModuleInfo = (one) => context.getModuleInfo(one);
    always ??= neededBy('./src/main.tsx', infoOf);
    first ??= neededBy('./src/pages/home/home-page.tsx', infoOf);
    if (always.has(id)) return null;
    if (first.has(id)) return 'shared';
    return id.includes(FORMS) ? 'forms' : 'views';
  };
}

const usedPackages = new Set<string>();

/** Lists, in a file that no gateway serves, the folders of the packages that pages and workers are made from. */
function listPackages(): Plugin {
  return {
    name: 'list-packages',
    apply: 'build',
    moduleParsed({ id }) {
      const folder = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1];
      if (folder !== undefined) usedPackages.add(folder);
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '.packages.json', source: `${JSON.stringify([...usedPackages].sort(), null, 1)}\n` });
    },
  };
}

export default defineConfig({
  root: here('.'),
  base: '/',
  publicDir: false,
  plugins: [react(), themeAtOnce(), pageForEachView(), listPackages()],
  worker: { plugins: () => [listPackages()] },
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
    rolldownOptions: {
      output: {
        entryFileNames: `${NAMES}.js`,
        chunkFileNames: `${NAMES}.js`,
        assetFileNames: `${NAMES}[extname]`,
        codeSplitting: {
          groups: [
            { name: sharedFiles(), debugName: 'shared', minShareCount: SHARED_BY, includeDependenciesRecursively: false },
            // What other pages of packets show of one.
            { name: 'packet-parts', test: PACKET_PARTS, minShareCount: 2, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
