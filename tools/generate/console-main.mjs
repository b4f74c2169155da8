import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateConsole } from './console.mjs';

/** `node tools/generate/console-main.mjs <file>`: writes what the portal's console knows of operations there. */
generateConsole(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
