import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { generateBounds } from './bounds.mjs';
import { generateCallers } from './callers.mjs';
import { generateClient } from './client.mjs';
import { generateConsole } from './console.mjs';
import { generateOpenApiDocument } from './openapi-document.mjs';
import { generateOpenApiTypes } from './openapi-types.mjs';
import { generatePythonClient } from './python-client.mjs';
import { generateTables } from './tables.mjs';

/**
 * `npm run generate`: makes the TypeScript of the contracts from proto/ and its list of callers, the types of each service's tables, the
 * one OpenAPI document from its parts, the types of that document, what SDKs, forms and console of the portal have of it, and the boards.
 */
export async function generate(root, options) {
  if (options.length > 0) throw new Error(`npm run generate takes nothing; it was given ${options.join(' ')}.`);
  buf(root, ['generate', 'proto', '--template', 'proto/buf.gen.yaml']);
  generateCallers(root, join(root, 'libs', 'contracts', 'src', 'generated'));
  generateTables(root);
  const openapi = join(root, 'apps', 'gateway', 'openapi');
  generateOpenApiDocument(root, join(openapi, 'openapi.json'));
  await generateOpenApiTypes(root, join(openapi, 'generated', 'operations.ts'));
  await generateClient(root, join(root, 'libs', 'client', 'src', 'generated'));
  generatePythonClient(root, join(root, 'libs', 'client-python', 'src', 'market_state', 'generated'));
  generateBounds(root, join(root, 'apps', 'portal', 'src', 'generated', 'bounds.ts'));
  generateConsole(root, join(root, 'apps', 'portal', 'src', 'generated', 'console.ts'));
  generateBoards(root);
}

/** Writes `deploy/monitoring/boards/` from the descriptions in tools/monitoring. */
function generateBoards(root) {
  const main = join(root, 'tools', 'monitoring', 'src', 'boards-main.ts');
  const args = ['--tsconfig', 'tsconfig.base.json', main];
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsx'), args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The boards could not be written.');
}

function buf(root, args) {
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'buf'), args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`buf ${args[0]} failed.`);
}
