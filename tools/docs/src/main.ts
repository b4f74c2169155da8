import { buildSite } from './build';

const [folder = ''] = process.argv.slice(2);
buildSite(folder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
