import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { snippetsOf } from '@market-state/call-snippets';
import { workspaceRoot } from '@market-state/launcher';
import { blocksOf, findPython } from '@market-state/testing';
import { operations } from '../src/reference/document';
import { exampleCallOf } from '../src/reference/snippets';

const run = promisify(execFile);
const COMPILERS = ['typescript-5.6', 'typescript', 'typescript7'];
const CLIENT = "import { MarketState } from '@market-state/client';\n";
const MADE_CLIENT = `${CLIENT}const ms = new MarketState({ baseUrl: 'http://127.0.0.1:1', apiKey: '' });\n`;

/** Blocks marked to run; one that continues others includes them. */
function programsOf(markdown: string, language: string): readonly string[] {
  const programs: string[] = [];
  for (const { code, runs } of blocksOf(markdown).filter((block) => block.language === language && block.runs !== null)) {
    if (runs === 'on' && programs.length > 0) programs.push(`${programs.pop() ?? ''}${code}`);
    else programs.push(code);
  }
  return programs;
}

const pages = globSync(['README.md', 'docs/**/*.md', 'apps/*/README.md', 'libs/*/README.md'], { cwd: workspaceRoot() });
const pagePrograms = (language: string, read: typeof programsOf) =>
  pages.flatMap((page) =>
    read(readFileSync(join(workspaceRoot(), page), 'utf8'), language).map((code, at) => [`${page}#${at + 1}`, code] as const),
  );

const callPrograms = (language: string) =>
  operations.flatMap((operation) =>
    snippetsOf(exampleCallOf(operation), 'http://127.0.0.1:1')
      .filter((snippet) => snippet.language === language)
      .map(({ name, code }) => [`${operation.operationId} ${name}`, code] as const),
  );

/** Writes programs to files. @returns their names */
function write(programs: readonly (readonly [name: string, code: string])[], ending: string): readonly string[] {
  return programs.map(([name, code]) => {
    const file = `${name.replaceAll(/\W+/g, '-')}.${ending}`;
    writeFileSync(join(folder, file), code);
    return file;
  });
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-state-snippets-'));
  const scope = join(folder, 'node_modules', '@market-state');
  mkdirSync(scope, { recursive: true });
  await run(process.execPath, [join(workspaceRoot(), 'tools/bundle/client-package-main.mjs'), join(scope, 'client')]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  // The programs run on Node, whose types are not part of the SDK.
  writeFileSync(join(folder, 'node.d.ts'), 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every TypeScript snippet of pages and operations compiles with each supported compiler', async () => {
  const calls = callPrograms('ts').map(([name, code]) => [name, `${MADE_CLIENT}${declared(code)}${code}\nexport {};\n`] as const);
  const written = pagePrograms('ts', programsOf).map(
    ([name, code]) => [name, `${code.replaceAll('{{base_url}}', 'http://127.0.0.1:1')}\nexport {};\n`] as const,
  );
  expect(calls.length).toBeGreaterThan(100);
  expect(written.length).toBeGreaterThan(3);
  const names = write([...calls, ...written], 'ts');
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--skipDefaultLibCheck'];
  const args = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2023,dom', ...modules, 'node.d.ts', ...names];
  const faults = await Promise.all(
    COMPILERS.map((compiler) =>
      run(process.execPath, [join(workspaceRoot(), 'node_modules', compiler, 'bin/tsc'), ...args], { cwd: folder }).then(
        () => '',
        (error: { readonly stdout: string }) => `${compiler}\n${error.stdout}`,
      ),
    ),
  );
  expect(faults.join('')).toBe('');
});

/** All blocks of a page, including those that do not run. */
const blocksIn: typeof programsOf = (markdown, language) =>
  blocksOf(markdown)
    .filter((block) => block.language === language)
    .map(({ code }) => code);

test('bash parses every shell snippet of pages and operations', async () => {
  const programs = [...callPrograms('sh'), ...pagePrograms('sh', blocksIn)];
  expect(programs.length).toBeGreaterThan(200);
  const script = 'for file; do bash -n "$file" || echo "in $file" >&2; done';
  const { stderr } = await run('bash', ['-c', script, 'bash', ...write(programs, 'sh')], { cwd: folder });
  expect(stderr).toBe('');
});

const python = findPython([]);
(python === null ? test.skip : test)('Python compiles every Python snippet of pages and operations (skipped without Python)', async () => {
  const programs = [...callPrograms('python'), ...pagePrograms('python', blocksIn)];
  expect(programs.length).toBeGreaterThan(100);
  const compile = 'import sys\nfor file in sys.argv[1:]: compile(open(file).read(), file, "exec")';
  const { stderr } = await run(python ?? '', ['-c', compile, ...write(programs, 'py')], { cwd: folder });
  expect(stderr).toBe('');
});

/** Declares values that the reader fills in: identifiers in capitals or camel case passed by the call. */
function declared(code: string): string {
  const names = [...code.matchAll(/: ([A-Za-z_]\w*)(?=[,} )])/g)].map(([, name = '']) => name);
  const filled = new Set(names.filter((name) => !['true', 'false', 'null', 'undefined'].includes(name)));
  return [...filled].map((name) => `declare const ${name}: string;\n`).join('');
}
