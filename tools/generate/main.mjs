import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differingFiles, writePart } from './generate.mjs';

/**
 * `node tools/generate/main.mjs <part>` writes one generated part. With `check` it compares the published parts with what generation gives,
 * and exits with 1 if a file differs.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [part] = process.argv.slice(2);
try {
  if (part === 'check') await check();
  else await writePart(root, part);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function check() {
  const files = await differingFiles(root);
  if (files.length > 0)
    throw new Error(`These files are out of date. Run npm run generate:\n${files.map((file) => `  ${file}`).join('\n')}`);
}
