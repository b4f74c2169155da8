import { Marked, type Tokens } from 'marked';
import { escapeHtml, type Highlight } from './highlight';

interface Heading {
  readonly id: string;
  readonly words: string;
}

/** A text as HTML, and the sections that it has. */
export interface Rendered {
  readonly html: string;
  readonly sections: readonly Heading[];
}

/** Consecutive blocks of code that name a tab are one set of tabs. */
const TAB = /tab="([^"]+)"/;

/** Makes HTML of Markdown: headings with ids, tables that scroll, code in colours, tabs without script. */
export function createRenderer(highlight: Highlight): (markdown: string) => Rendered {
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

/** The tokens, those of one set of tabs together. */
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

/** The id of a heading, as links in documents of the workspace expect it. */
function slug(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/&\w+;/g, '')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
