import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateBounds } from './bounds.mjs';

/** `node tools/generate/bounds-main.mjs <file>`: writes the bounds of the portal's forms there. */
generateBounds(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
