import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateClient } from './client.mjs';

/** `node tools/generate/client-main.mjs <folder>`: writes what the SDK has from the OpenAPI document there. */
await generateClient(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
