import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Outputs of `node tools/generate/main.mjs <part>`: a folder, and its files' texts by name. Generators are loaded
 * lazily, because packages may have just been installed, and two of them load TypeScript.
 */
const PARTS = {
  callers: {
    folder: 'libs/contracts/src/generated',
    files: async (root) => ({ 'callers.ts': (await import('./callers.mjs')).callersText(root) }),
  },
  gateway: {
    folder: 'apps/gateway/openapi/generated',
    files: async (root) => ({ 'operations.ts': await (await import('./openapi-types.mjs')).operationTypesText(root) }),
  },
  client: { folder: 'libs/client/src/generated', files: async (root) => (await import('./client.mjs')).clientFiles(root) },
  portal: { folder: 'apps/portal/src/generated', files: async (root) => (await import('./portal.mjs')).portalFiles(root) },
  document: {
    folder: 'apps/gateway/openapi',
    files: async (root) => ({ 'openapi.json': (await import('./openapi-document.mjs')).openApiDocumentText(root) }),
  },
  python: {
    folder: 'libs/client-python/src/market_state/generated',
    isWhole: true,
    files: async (root) => (await import('./python-client.mjs')).pythonClientFiles(root),
  },
};

/** Generated parts that are in git, because they are published from there. */
const PUBLISHED = ['document', 'python'];

/** Writes the files of one part, and removes those of `isWhole` folders that are no longer generated. */
export async function writePart(root, name) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`There is no generated part "${name}". Parts: ${Object.keys(PARTS).join(', ')}.`);
  const files = await part.files(root);
  if (part.isWhole) rmSync(join(root, part.folder), { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, part.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Published files that differ from the generated ones. */
export async function differingFiles(root) {
  const differing = [];
  for (const { folder, isWhole = false, files } of PUBLISHED.map((name) => PARTS[name])) {
    const made = await files(root);
    const present = isWhole ? readdirSync(join(root, folder), { recursive: true }).filter((file) => file.endsWith('.py')) : [];
    for (const file of new Set([...Object.keys(made), ...present])) {
      const path = join(root, folder, file);
      if (!existsSync(path) || readFileSync(path, 'utf8') !== made[file]) differing.push(join(folder, file));
    }
  }
  return differing;
}

/**
 * `npm run generate`: the OpenAPI document, the code that the `generate` targets of projects make, the Python client's generated part and
 * Grafana's dashboards. The document comes first, because most of the code is made from it.
 */
export async function generate(root, options) {
  if (options.length > 0) throw new Error(`npm run generate takes no arguments; unexpected: ${options.join(' ')}.`);
  await writePart(root, 'document');
  generateCode(root);
  await writePart(root, 'python');
  run(root, 'node', ['--import', '@oxc-node/core/register', join('tools', 'monitoring', 'src', 'dashboards-main.ts')]);
}

/** Runs the `generate` targets of all projects, using Nx's cache. */
export function generateCode(root) {
  run(root, 'nx', ['run-many', '-t', 'generate']);
}

function run(root, program, args) {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', program), args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.\n${stdout}${stderr}`);
}
