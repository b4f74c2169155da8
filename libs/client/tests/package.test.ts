import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
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
      const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', platform: 'browser', write: false });
      return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    }),
  );
  expect(sizes.map((size) => size > 0 && size <= CORE_BYTES_MAX)).toEqual([true, true, true, true, true]);
});

test('leaves nothing of itself in a bundle that does not use it', async () => {
  const names = ['client', 'client/operations', 'client/player', 'client/webhooks', 'client/verify'];
  const stdin = { contents: names.map((name) => `import '@market-state/${name}';`).join('\n'), resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' });
  expect(outputFiles[0]?.text.replace(/^\/\/.*$/gm, '').trim()).toBe('');
});

test('packs its modules, their types, README and licence, and names no dependency', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: join(folder, 'node_modules/@market-state/client') });
  const [packed] = JSON.parse(stdout) as [{ readonly name: string; readonly files: readonly { readonly path: string }[] }];
  const files = packed.files.map(({ path }) => path.replace(/-[A-Z0-9]{8}\.js$/, '.js'));
  const modules = ['chunk.js', 'files-browser.js', 'files-node.js', 'index.js', 'operations.js', 'player.js', 'verify.js', 'webhooks.js'];
  expect([...new Set(files.filter((path) => !path.startsWith('types/')))].sort()).toEqual(
    ['LICENSE', 'README.md', ...modules, 'package.json'].sort(),
  );
  expect(files.filter((path) => path.startsWith('types/') && !path.endsWith('.d.ts'))).toEqual([]);
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

test('has types that TypeScript 5.6 reads, whole', async () => {
  expect(await typeFaults(folder, 'typescript-5.6', 'nodenext')).toBe('');
});
