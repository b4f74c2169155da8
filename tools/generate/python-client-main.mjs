import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatePythonClient } from './python-client.mjs';

/** `node tools/generate/python-client-main.mjs <folder>`: writes what the Python client has from the OpenAPI document there. */
generatePythonClient(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
