import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSite } from './build';
import { workspaceFolder } from './site/page';

const folder = join(workspaceFolder, 'dist', 'docs');
rmSync(folder, { recursive: true, force: true });
buildSite(folder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
