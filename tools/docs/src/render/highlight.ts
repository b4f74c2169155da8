import { createHighlighterCore, createCssVariablesTheme, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import bash from 'shiki/langs/bash.mjs';
import javascript from 'shiki/langs/javascript.mjs';
import json from 'shiki/langs/json.mjs';
import python from 'shiki/langs/python.mjs';
import sql from 'shiki/langs/sql.mjs';
import typescript from 'shiki/langs/typescript.mjs';
import yaml from 'shiki/langs/yaml.mjs';

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

/** Text longer than this is shown in one colour: a colour for each of its words would weigh more than the text. */
const CHARACTERS_MAX = 12_000;

const THEME = 'docs';
const VARIABLE = /^var\(--docs-(?:token-)?([\w-]+)\)$/;

/** Code as HTML, each word in the class of its kind. */
export type Highlight = (text: string, language: string) => string;

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
