import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `eval "$(node deploy/monitoring/addresses.mjs [data folder])"`: the variables of the runbooks' commands for the system that runs on a
 * data folder of this machine, `.data` by default. PROMETHEUS stays as it is set.
 */
const folder = process.argv[2] ?? process.env.DATA_DIR ?? '.data';
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
for (const { targets, labels } of read('metrics-targets.json'))
  console.log(`export ${labels.process.replaceAll('-', '_').toUpperCase()}_OPS=http://${targets[0]}`);
console.log(`export API=${read('endpoints.json').gateway}`);
console.log(`export PROMETHEUS=\${PROMETHEUS:-http://127.0.0.1:9090}`);
