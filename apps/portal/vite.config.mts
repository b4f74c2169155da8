import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown, type Rollup } from 'vite';
import { PAGES } from './src/pages';

const ASSETS = 'assets';
const HASH_CHARACTERS = 12;
/**
 * File names are listed in the first script of every page, and hashes do not compress. 42 bits distinguish the versions of a file, and the
 * bundler needs as many for more than 64 files.
 */
const NAMES = `${ASSETS}/[name]-[hash:7]`;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface PortalManifest {
  readonly schema: 'market_state_portal.v3';
  /** Pages by path pattern; each preloads its own files, so that they are fetched together. */
  readonly pages: readonly { readonly pattern: string; readonly html: string }[];
  /** Page for addresses that match no pattern. */
  readonly not_found: string;
  /** Paths below the build folder; each contains its hash, so its content never changes. */
  readonly files: readonly string[];
}

/** Loads the theme script before everything else. */
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

/** A script with its static imports and their styles, except those that every page has. */
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

/** Writes a page per view, which preloads the view's files, and the manifest of path patterns. */
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

/** Minimum number of views that must need a module to put it in a shared file. */
const SHARED_BY = 4;
/** Modules of pages that are only a form, unless the first page needs them too. */
const FORMS = '/apps/portal/src/account/';
/** Modules of pages with choices and times, which those of one market don't have. */
const FIELDS = /\/apps\/portal\/src\/(?:controls\/(?:choice|time-field)|time\/field-time)\./;
/** Allowed in shared files: our own modules and small packages. */
const SHARED = /\/apps\/portal\/src\/(?!pages\/)|\/libs\/|\/@tanstack\/|\/@noble\//;

const PACKET_PARTS = /\/apps\/portal\/src\/pages\/packet\//;

/** A module and its static imports. */
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
 * Groups modules that several views share: one file for those that the first page needs, one for account forms, one for choices and times,
 * one for the rest. By default each distinct set of views gets a file, and a page needs up to forty requests.
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
    if (id.includes(FORMS)) return 'forms';
    return FIELDS.test(id) ? 'fields' : 'views';
  };
}

const usedPackages = new Set<string>();

/** Lists the folders of all bundled packages in a file that the gateway does not serve. */
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
    // No inlining: an inline image or script would need an exception in the page's headers.
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
            // Parts of the packet page that other pages use.
            { name: 'packet-parts', test: PACKET_PARTS, minShareCount: 2, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
