import { makeBundles } from './bundle.mjs';

const [root, digest] = process.argv.slice(2);
makeBundles(root, digest).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
