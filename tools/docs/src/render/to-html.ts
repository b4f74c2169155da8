import { Marked, type Tokens } from 'marked';
import { createHighlighterCore, createCssVariablesTheme, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import bash from 'shiki/langs/bash.mjs';
import javascript from 'shiki/langs/javascript.mjs';
import json from 'shiki/langs/json.mjs';
import python from 'shiki/langs/python.mjs';
import sql from 'shiki/langs/sql.mjs';
import typescript from 'shiki/langs/typescript.mjs';
import yaml from 'shiki/langs/yaml.mjs';
import type { Pictures } from '../site/pictures';

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'bash',
  bash: 'bash',
  json: 'json',
  ndjson: 'json',
  js: 'javascript',
  ts: 'typescript',
  typescript: 'typescript',
  python: 'python',
  sql: 'sql',
  yaml: 'yaml',
};

/** Longer code is not highlighted, because the markup would outweigh the text. */
const CHARACTERS_MAX = 12_000;

const THEME = 'docs';
const VARIABLE = /^var\(--docs-(?:token-)?([\w-]+)\)$/;

/** Code as HTML, each token in the class of its kind. */
type Highlight = (text: string, language: string) => string;

export async function createHighlight(): Promise<Highlight> {
  const highlighter: HighlighterCore = await createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--docs-' })],
    langs: [bash, javascript, json, python, sql, typescript, yaml],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return (text, language) => {
    const lang = LANGUAGES[language];
    if (lang === undefined || text.length > CHARACTERS_MAX) return escapeHtml(text);
    const lines = highlighter.codeToTokensBase(text, { lang, theme: THEME });
    return lines.map((tokens) => tokens.map(({ content, color }) => inClass(content, VARIABLE.exec(color ?? '')?.[1])).join('')).join('\n');
  };
}

function inClass(content: string, kind: string | undefined): string {
  return kind === undefined || kind === 'foreground' ? escapeHtml(content) : `<span class="c-${kind}">${escapeHtml(content)}</span>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

interface Heading {
  readonly id: string;
  readonly words: string;
}

export interface Rendered {
  readonly html: string;
  readonly sections: readonly Heading[];
}

/** Consecutive code blocks with a tab name form one set of tabs. */
const TAB = /tab="([^"]+)"/;

/** Renders Markdown to HTML: headings with ids, scrollable tables, highlighted code, tabs without scripts. */
export function createRenderer(highlight: Highlight, pictures: Pick<Pictures, 'element'>): (markdown: string) => Rendered {
  return (markdown) => {
    const sections: Heading[] = [];
    const ids = new Map<string, number>();
    let tabsTotal = 0;
    const block = ({ text, lang = '' }: Pick<Tokens.Code, 'text' | 'lang'>): string => {
      const [language = ''] = lang.split(' ');
      return `<pre tabindex="0"><code>${highlight(text, language)}</code></pre>\n`;
    };
    const marked = new Marked({
      gfm: true,
      renderer: {
        heading({ tokens, depth }) {
          const inner = this.parser.parseInline(tokens);
          const words = this.parser.parseInline(tokens, this.parser.textRenderer);
          const stem = slug(words);
          const seen = ids.get(stem) ?? 0;
          ids.set(stem, seen + 1);
          const id = seen === 0 ? stem : `${stem}-${seen}`;
          if (depth === 2) sections.push({ id, words });
          return depth === 1 ? `<h1>${inner}</h1>\n` : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
        },
        table(token) {
          const cells = (row: readonly Tokens.TableCell[], tag: string) =>
            row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
          const hasHead = token.header.some(({ text }) => text !== '');
          const head = hasHead ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>` : '';
          const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
          return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
        },
        code: block,
        image: ({ href, text }) => pictures.element(href, escapeHtml(text)) ?? false,
      },
    });
    const tokens = marked.lexer(markdown);
    const html = inRuns(tokens).map((run) => {
      if (!Array.isArray(run)) return marked.parser(Object.assign([run], { links: tokens.links }));
      tabsTotal += 1;
      return tabSet(
        run.map((token) => ({ name: TAB.exec(token.lang ?? '')?.[1] ?? '', html: block(token) })),
        `tabs-${tabsTotal}`,
      );
    });
    return { html: html.join(''), sections };
  };
}

type Token = ReturnType<Marked['lexer']>[number];

function isTab(token: Token): token is Tokens.Code {
  return token.type === 'code' && TAB.test(String(token['lang'] ?? ''));
}

/** Groups the tokens of each set of tabs. */
function inRuns(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const runs: (Token | Tokens.Code[])[] = [];
  for (const [index, token] of tokens.entries()) {
    const last = runs.at(-1);
    if (isTab(token)) {
      if (Array.isArray(last)) last.push(token);
      else runs.push([token]);
    } else if (!(token.type === 'space' && Array.isArray(last) && isTab(tokens[index + 1] ?? token))) runs.push(token);
  }
  return runs;
}

function tabSet(tabs: readonly { readonly name: string; readonly html: string }[], id: string): string {
  if (tabs.length === 1) return tabs[0]?.html ?? '';
  const parts = tabs.map(({ name, html }, index) => {
    const own = `${id}-${index}`;
    return `<input type="radio" name="${id}" id="${own}"${index === 0 ? ' checked' : ''}><label for="${own}">${escapeHtml(name)}</label><div class="tab">${html}</div>`;
  });
  return `<fieldset class="tabs"><legend>The same call in</legend>${parts.join('')}</fieldset>\n`;
}

/** Heading id as expected by links in the workspace's documents. */
function slug(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/&\w+;/g, '')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
