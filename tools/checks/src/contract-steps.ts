import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageOf, lastRelease } from '@market-state/deploy';
import { appFolderOf, databaseServices, workspaceRoot } from '@market-state/launcher';
import { runCommand } from './run-command';
import type { CommandResult } from './run-command';

const generatedFolder = 'libs/contracts/src/generated';

/** The lock file gives versions and digests, and leaves the address to npm's settings. */
export async function checkLockFile(): Promise<CommandResult> {
  const lines = readFileSync(join(workspaceRoot(), 'package-lock.json'), 'utf8').split('\n');
  const addresses = lines.filter((line) => /"resolved":\s*"https?:/.test(line));
  return { passed: addresses.length === 0, output: addresses.join('\n') };
}

const TABLE_TYPES = join('src', 'store', 'generated', 'tables.ts');
const openApiDocument = 'apps/gateway/openapi/openapi.json';
const clientCode = 'libs/client/src/generated';
const pythonCode = 'libs/client-python/src/market_state/generated';
const formBounds = 'apps/portal/src/generated/bounds.ts';
const consoleForms = 'apps/portal/src/generated/console.ts';
const operationTypes = 'apps/gateway/openapi/generated/operations.ts';

/** Generating what is made from contracts, schemas and the OpenAPI document changes nothing, and every RPC has its callers listed. */
export async function checkGeneratedCode(): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-contracts-'));
  try {
    const made = await runCommand('buf', ['generate', 'proto', '--template', 'proto/buf.gen.yaml', '-o', folder]);
    if (!made.passed) return made;
    const listed = await runCommand('node', [join('tools', 'generate', 'callers-main.mjs'), join(folder, generatedFolder)]);
    if (!listed.passed) return listed;
    const bundled = await runCommand('node', [join('tools', 'generate', 'openapi-document-main.mjs'), join(folder, 'openapi.json')]);
    if (!bundled.passed) return bundled;
    const typed = await runCommand('node', [join('tools', 'generate', 'openapi-types-main.mjs'), join(folder, 'operations.ts')]);
    if (!typed.passed) return typed;
    const client = await runCommand('node', [join('tools', 'generate', 'client-main.mjs'), join(folder, 'client')]);
    if (!client.passed) return client;
    const python = await runCommand('node', [join('tools', 'generate', 'python-client-main.mjs'), join(folder, 'python')]);
    if (!python.passed) return python;
    const bounds = await runCommand('node', [join('tools', 'generate', 'bounds-main.mjs'), join(folder, 'bounds.ts')]);
    if (!bounds.passed) return bounds;
    const forms = await runCommand('node', [join('tools', 'generate', 'console-main.mjs'), join(folder, 'console.ts')]);
    if (!forms.passed) return forms;
    const tables = await runCommand('node', [join('tools', 'generate', 'tables-main.mjs'), folder]);
    if (!tables.passed) return tables;
    const compared = await Promise.all([
      ...databaseServices
        .map((service) => join(appFolderOf(service), TABLE_TYPES))
        .map((file) => compareFolders(join(folder, file), join(workspaceRoot(), file))),
      compareFolders(join(folder, generatedFolder), join(workspaceRoot(), generatedFolder)),
      compareFolders(join(folder, 'openapi.json'), join(workspaceRoot(), openApiDocument)),
      compareFolders(join(folder, 'operations.ts'), join(workspaceRoot(), operationTypes)),
      compareFolders(join(folder, 'client'), join(workspaceRoot(), clientCode)),
      compareFolders(join(folder, 'python'), join(workspaceRoot(), pythonCode)),
      compareFolders(join(folder, 'bounds.ts'), join(workspaceRoot(), formBounds)),
      compareFolders(join(folder, 'console.ts'), join(workspaceRoot(), consoleForms)),
    ]);
    return { passed: compared.every(({ passed }) => passed), output: compared.map(({ output }) => output).join('') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The contracts follow the standard rules. */
export function checkProtoStyle(): Promise<CommandResult> {
  return runCommand('buf', ['lint', 'proto']);
}

/** The contracts are formatted. */
export function checkProtoFormat(): Promise<CommandResult> {
  return runCommand('buf', ['format', 'proto', '--diff', '--exit-code']);
}

/** The last release and this one can call each other. */
export function checkProtoCompatibility(): Promise<CommandResult> {
  return runCommand('buf', ['breaking', 'proto', '--against', imageOf(lastRelease(workspaceRoot()))]);
}

function compareFolders(one: string, other: string): Promise<CommandResult> {
  return new Promise((resolve) => {
    // Python keeps what it has compiled beside its sources.
    execFile('diff', ['-r', '-u', '-x', '__pycache__', one, other], (error, stdout, stderr) =>
      resolve({ passed: error === null, output: stdout + stderr }),
    );
  });
}
