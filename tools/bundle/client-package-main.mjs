import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClientPackage } from './client-package.mjs';

/** `node tools/bundle/client-package-main.mjs <folder>` */
await buildClientPackage(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), resolve(process.argv[2]));
