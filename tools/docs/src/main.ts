import { buildSite } from './build';

const [root = '', folder = ''] = process.argv.slice(2);
buildSite(root, folder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
