import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateOpenApiTypes } from './openapi-types.mjs';

/** `node tools/generate/openapi-types-main.mjs <file>`: writes the types of the OpenAPI document there. */
await generateOpenApiTypes(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
