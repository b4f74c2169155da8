import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { packetStyles } from './packets/packet-styles';
import { openApi } from './reference/document';
import { createHighlight, createRenderer } from './render/to-html';
import { notFoundHtml, pageHtml, textPath } from './render/layout';
import { BASE_URL, DOCS, type Page, readText, workspaceFolder } from './site/page';
import { readSite } from './site/read-site';
import { readPictures } from './site/pictures';
import { searchIndex } from './site/search-index';
import { fillPage } from './packets/page-tokens';

/** Groups listed page by page; the others appear only by their index. */
const INDEXED = ['States', 'Event classes'];
/** Pages that are parts of another one, which links to them. */
const PARTS = /\/clients\/command-line-/;

/** `/llms.txt` in its conventional form. */
function llmsText(pages: readonly Page[]): string {
  const { title, description } = openApi.info;
  const [summary = '', ...details] = description
    .trim()
    .split(/\n\s*\n/)
    .map((part) => part.trim().replace(/\s+/g, ' '));
  const listed = pages.filter(
    ({ unlisted, group, path }) =>
      unlisted !== true && group !== '' && !PARTS.test(path) && (!INDEXED.includes(group) || !/\/(?:states|event-classes)\//.test(path)),
  );
  const groups = [...new Set(listed.map(({ group }) => group))];
  const first = `First call: \`curl -H "x-market-state-api-key: $KEY" '${BASE_URL}/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact'\`. A sandbox key: \`curl -X POST ${BASE_URL}/api/public/market-state/account/sandbox-keys\`.`;
  const sections = groups.flatMap((group) => [
    `## ${group}`,
    listed
      .filter((page) => page.group === group)
      .map((page) => `- [${page.title}](${textPath(page.path)}): ${page.description}`)
      .join('\n'),
  ]);
  const more = `- [All pages in one file](/llms-full.txt)\n- [OpenAPI document](/openapi.json)`;
  return `${[`# ${title}`, `> ${summary}`, ...details.slice(0, 1), first, ...sections, '## Full text', more].join('\n\n')}\n`;
}

/** Texts of every listed page; excludes single operations, errors and similar pages. */
function fullText(pages: readonly Page[], texts: ReadonlyMap<Page, string>): string {
  return pages
    .filter(({ unlisted }) => unlisted !== true)
    .map((page) => `<!-- ${BASE_URL}${page.path} -->\n\n${texts.get(page) ?? ''}`)
    .join('\n');
}

const HASH_CHARACTERS = 12;

interface NamedFile {
  readonly file: string;
  readonly sha256: string;
}

/** `docs.json` lists the files. */
export async function buildSite(folder: string): Promise<void> {
  const { pages } = readSite();
  refuseTwice(pages);
  const pictures = readPictures();
  const render = createRenderer(await createHighlight(), pictures);
  const write = (file: string, text: string | Buffer): NamedFile => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    return { file, sha256: sha256Of(text) };
  };
  const style = `${readText('tools/docs/style/site.css')}${packetStyles()}`;
  const styleFile = `assets/style.${sha256Of(style).slice(0, HASH_CHARACTERS)}.css`;
  const { title } = openApi.info;
  const prepared = pages.map((page) => {
    const { text, drawn, drawings } = fillPage(pictures.placed(page.markdown));
    const { html, sections } = render(drawn);
    const whole = [...drawings].reduce((done, [mark, drawing]) => done.replace(`<p>${mark}</p>`, () => drawing), html);
    return { page, rendered: { html: whole, sections }, twin: `${linksToTexts(text, pages).trim()}\n` };
  });
  const texts = new Map(prepared.map(({ page, twin }) => [page, twin]));
  const anchors = new Map(prepared.map(({ page, rendered }) => [page, rendered.sections.map(({ id }) => id)]));
  const script = await browserScript();
  const scriptFile = `assets/site.${sha256Of(script).slice(0, HASH_CHARACTERS)}.js`;
  const index = searchIndex(texts, anchors);
  const indexFile = `assets/search.${sha256Of(index).slice(0, HASH_CHARACTERS)}.json`;
  const frame = { pages, stylePath: `${DOCS}/${styleFile}`, scriptPath: `${DOCS}/${scriptFile}`, indexPath: `${DOCS}/${indexFile}`, title };
  const written = prepared.map(({ page, rendered, twin }) => {
    const stem = page.path === DOCS ? 'index' : page.path.slice(DOCS.length + 1);
    return {
      path: page.path,
      html: write(`${stem}.html`, pageHtml(page, rendered, frame)),
      text_path: textPath(page.path),
      text: write(`${stem}.md`, twin),
    };
  });
  const manifest = {
    schema: 'market_state_docs.v2',
    base_url: BASE_URL,
    pages: written,
    texts: [
      { path: '/llms.txt', text: write('llms.txt', llmsText(pages)) },
      { path: '/llms-full.txt', text: write('llms-full.txt', fullText(pages, texts)) },
    ],
    not_found: write('not-found.html', notFoundHtml(frame)),
    styles: [{ path: frame.stylePath, style: write(styleFile, style) }],
    scripts: [{ path: frame.scriptPath, script: write(scriptFile, script) }],
    indexes: [{ path: frame.indexPath, index: write(indexFile, index) }],
    pictures: pictures.all.map((each) => ({ path: each.path, picture: write(each.path.slice(DOCS.length + 1), each.bytes) })),
    downloads: downloadsOf().map(({ name, bytes }) => ({ path: `${DOCS}/files/${name}`, download: write(`files/${name}`, bytes) })),
  };
  write('docs.json', `${JSON.stringify(manifest, null, 1)}\n`);
}

/** Search, copy buttons and table filters in one file for all pages. */
async function browserScript(): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'browser', 'site.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

function downloadsOf() {
  const made = join(workspaceFolder, 'dist', 'downloads');
  const names = readdirSync(made).filter((name) => /gz$|\.whl$/.test(name));
  return names.sort().map((name) => ({ name, bytes: readFileSync(join(made, name)) }));
}

function sha256Of(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function refuseTwice(pages: readonly Page[]): void {
  const paths = pages.map(({ path }) => path);
  const twice = paths.filter((path, index) => paths.indexOf(path) !== index);
  if (twice.length > 0) throw new Error(`Two pages share the path ${twice.join(', ')}.`);
}

function linksToTexts(text: string, pages: readonly Page[]): string {
  const paths = new Set(pages.map(({ path }) => path));
  return text.replace(/\]\((\/docs[^)#\s]*)(#[^)\s]*)?\)/g, (whole, path: string, anchor = '') =>
    paths.has(path) ? `](${textPath(path)}${anchor})` : whole,
  );
}
