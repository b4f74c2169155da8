import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateOpenApiDocument } from './openapi-document.mjs';

/** `node tools/generate/openapi-document-main.mjs <file>`: writes the OpenAPI document there. */
generateOpenApiDocument(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv[2]);
