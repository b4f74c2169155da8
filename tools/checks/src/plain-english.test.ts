import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import rules from './plain-english.json';

const ROOT = join(import.meta.dirname, '../../..');
const CODE = /\.(ts|tsx|mjs)$/;
const TEXT = /\.(ts|tsx|mjs|md|yaml|yml|proto|py|html|css|sh)$/;

const uses = new Map(Object.entries({ ...rules.words, ...rules.phrases }));
const banned = new RegExp(`(?<![A-Za-z])(${Object.keys(rules.phrases).join('|')})(?![A-Za-z])`, 'i');
const commentStart = new RegExp(`^\\s*(?:/\\*\\*?|//)\\s+(${rules.commentStarts.join('|')})\\b(?!.*\\?)`);
const descriptionStart = new RegExp(`^\\s*(?:description|summary|title): ['"]?(${rules.descriptionStarts.join('|')})\\b`);

/** Folders that git ignores. A copy of the repository without git is checked too. */
const NOT_SOURCE = new Set(['.git', '.nx', '.data', '.tmp', 'node_modules', 'dist', 'coverage', 'generated', 'build', '__pycache__']);
/** Generated, but published. */
const PYTHON_CLIENT = 'libs/client-python/src/market_state/generated/**/*.py';

/** Text files, without recorded data, applied migrations and released contracts. */
function files(): string[] {
  const sources = globSync('**/*', { cwd: ROOT, exclude: (path) => NOT_SOURCE.has(basename(path)) });
  const listed = [...sources, ...globSync(PYTHON_CLIENT, { cwd: ROOT })];
  return listed.filter((path) => TEXT.test(path) && !rules.ignored.some((prefix) => path.startsWith(prefix)));
}

/** Words of a line, identifiers split at capitals and underscores. */
function words(line: string): string[] {
  return line.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
}

function violations(path: string, text: string): string[] {
  const found: string[] = [];
  const allowed = new Set(Object.entries(rules.allowed).flatMap(([prefix, terms]) => (path.startsWith(prefix) ? terms : [])));
  const report = (line: number, term: string, use: string) => found.push(`${path}:${line + 1}: "${term}": write ${use}`);
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    for (const word of words(line)) {
      const use = uses.get(word.toLowerCase());
      if (use !== undefined && !allowed.has(word.toLowerCase())) report(index, word, use);
    }
    const phrase = banned.exec(line)?.[1]?.toLowerCase();
    if (phrase !== undefined && !allowed.has(phrase)) report(index, phrase, uses.get(phrase) ?? '');
    const start = CODE.test(path) && !/^\s*\/\//.test(lines[index - 1] ?? '') ? commentStart.exec(line)?.[1] : undefined;
    if (start !== undefined) report(index, start, 'a noun phrase or a verb at the start of a comment');
    const described = path.endsWith('.yaml') ? descriptionStart.exec(line)?.[1] : undefined;
    if (described !== undefined) report(index, described, 'a noun phrase or a sentence at the start of a description');
  }
  return found;
}

test('code, documents and API descriptions use none of the words listed in plain-english.json', () => {
  const found = files().flatMap((path) => violations(path, readFileSync(join(ROOT, path), 'utf8')));
  expect(found).toEqual([]);
});
