import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateTables } from './tables.mjs';

/** `node tools/generate/tables-main.mjs [folder]`: writes the types of every app's tables into the workspace, or below that folder. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
generateTables(root, process.argv[2] ?? root);
