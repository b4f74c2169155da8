import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOpenApi } from './bundle';

const folder = join(__dirname, '..', '..', '..', 'openapi');
writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(bundleOpenApi(join(folder, 'openapi.yaml')), null, 1)}\n`);
