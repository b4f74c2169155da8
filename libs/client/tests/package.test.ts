import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { makePackage, typeFaults } from './made-package';

const run = promisify(execFile);
const CORE_BYTES_MAX = 12_000;

let folder: string;
beforeAll(async () => {
  folder = await makePackage();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('has a core of at most 12 kB for browsers, and no entry needs anything else', async () => {
  const sizes = await Promise.all(
    ['client', 'client/operations', 'client/player', 'client/webhooks', 'client/verify'].map(async (name) => {
      const stdin = { contents: `export * from '@market-state/${name}'`, resolveDir: folder };
      const form = { bundle: true, minify: true, format: 'esm', platform: 'browser', splitting: true, outdir: '.' } as const;
      const { outputFiles, metafile } = await build({ stdin, ...form, metafile: true, write: false });
      const loaded = loadedAtStart(metafile.outputs);
      const texts = outputFiles.filter(({ path }) => loaded.has(relative('.', path))).map(({ contents }) => contents);
      return gzipSync(Buffer.concat(texts), { level: 9 }).length;
    }),
  );
  expect(sizes.map((size) => size > 0 && size <= CORE_BYTES_MAX)).toEqual([true, true, true, true, true]);
});

/** Files that an import loads; others are loaded when a method needs them. */
function loadedAtStart(outputs: Metafile['outputs']): ReadonlySet<string> {
  const loaded = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint !== undefined && path.includes('stdin')));
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') loaded.add(imported);
  return loaded;
}

test('leaves nothing of itself in a bundle that does not use it', async () => {
  const names = ['client', 'client/operations', 'client/player', 'client/webhooks', 'client/verify'];
  const stdin = { contents: names.map((name) => `import '@market-state/${name}';`).join('\n'), resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' });
  expect(outputFiles[0]?.text.replace(/^\/\/.*$/gm, '').trim()).toBe('');
});

test('packs its modules, their types, README and licence, and names no dependency', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: join(folder, 'node_modules/@market-state/client') });
  const [packed] = JSON.parse(stdout) as [{ readonly name: string; readonly files: readonly { readonly path: string }[] }];
  const files = packed.files.map(({ path }) => path.replace(/-[A-Z0-9]{8}\.js/, '.js'));
  const onDemand = ['alert-messages.js', 'download-file.js', 'range-rows.js'];
  const modules = [
    ...onDemand,
    'chunk.js',
    'files-browser.js',
    'files-node.js',
    'index.js',
    'operations.js',
    'player.js',
    'verify.js',
    'webhooks.js',
  ];
  const maps = modules.map((path) => `${path}.map`);
  expect([...new Set(files.filter((path) => !/^(cjs|types)\//.test(path)))].sort()).toEqual(
    ['LICENSE', 'README.md', ...modules, ...maps, 'package.json'].sort(),
  );
  expect(files.filter((path) => /^(cjs\/)?types\//.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  expect(files.filter((path) => path.startsWith('cjs/') && !/\.(js|js\.map|d\.ts)$/.test(path))).toEqual(['cjs/package.json']);
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@market-state/client/package.json'), 'utf8')) as object;
  expect(Object.keys(manifest)).toEqual([
    'name',
    'version',
    'license',
    'description',
    'type',
    'sideEffects',
    'engines',
    'exports',
    'imports',
  ]);
});

test('is imported by plain Node', async () => {
  const text = `
    import { MarketState, TransportError } from '@market-state/client';
    import { verifyWebhook, VerificationError } from '@market-state/client/webhooks';
    import { checkPacket } from '@market-state/client/verify';
    const ms = new MarketState({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x', random: () => 0 });
    const thrown = await ms.exports.download('job_x', 'folder').catch((error) => error);
    const other = await verifyWebhook('', {}, 'x').catch((error) => error);
    console.log(thrown instanceof TransportError, other instanceof VerificationError, typeof checkPacket);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], { cwd: folder });
  expect(stdout.trim()).toBe('true true function');
});

test('is required by a CommonJS program, whose entries share their classes', async () => {
  writeFileSync(
    join(folder, 'program.cjs'),
    `const { MarketState, TransportError, VerificationError } = require('@market-state/client');
    const { verifyWebhook } = require('@market-state/client/webhooks');
    const { checkPacket } = require('@market-state/client/verify');
    const { operationAt } = require('@market-state/client/operations');
    const { playReplay } = require('@market-state/client/player');
    (async () => {
      const ms = new MarketState({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x', random: () => 0 });
      const thrown = await ms.exports.download('job_x', 'folder').catch((error) => error);
      const other = await verifyWebhook('', {}, 'x').catch((error) => error);
      const imported = typeof (await import('@market-state/client')).MarketState;
      console.log(thrown instanceof TransportError, other instanceof VerificationError, typeof checkPacket, imported);
      console.log(operationAt('GET', '/livez').id, typeof playReplay);
    })();`,
  );
  const { stdout } = await run(process.execPath, ['program.cjs'], { cwd: folder });
  expect(stdout.trim()).toBe('true true function function\ngetLivez function');
});

test('its source maps lead a stack to the TypeScript source, with `import` and `require` alike', async () => {
  const stack = "new MarketState({ baseUrl: 'ftp://x' }); } catch (error) { console.log(error.stack); }";
  const programs = [
    ['--input-type=module', `import { MarketState } from '@market-state/client'; try { ${stack}`],
    ['--input-type=commonjs', `const { MarketState } = require('@market-state/client'); try { ${stack}`],
  ];
  for (const [type = '', text = ''] of programs) {
    const { stdout } = await run(process.execPath, ['--enable-source-maps', type, '-e', text], { cwd: folder });
    expect([type, stdout]).toEqual([type, expect.stringMatching(/market-state-client\/market-state\.ts:\d+:\d+/)]);
  }
  const map = JSON.parse(readFileSync(join(folder, 'node_modules/@market-state/client/cjs/index.js.map'), 'utf8')) as object;
  expect(map).toMatchObject({ sources: ['market-state-client/index.ts'], sourcesContent: [expect.any(String)] });
});

test('has types for a CommonJS program', async () => {
  writeFileSync(
    join(folder, 'required.cts'),
    "import ms = require('@market-state/client');\nexport const client: ms.MarketState | null = null;\n",
  );
  expect(await typeFaults(folder, 'typescript-5.6', 'nodenext', 'required.cts')).toBe('');
});

test('has types that TypeScript 5.6 reads, whole', async () => {
  expect(await typeFaults(folder, 'typescript-5.6', 'nodenext')).toBe('');
});
