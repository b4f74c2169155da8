import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateCallers } from './callers.mjs';

/** `node tools/generate/callers-main.mjs <folder>`: writes callers.ts there. */
generateCallers(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
