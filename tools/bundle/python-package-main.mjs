import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPythonPackage } from './python-package.mjs';

/** `node tools/bundle/python-package-main.mjs <folder> [python3]`: makes the wheel of the Python client there. */
const [folder, python = 'python3'] = process.argv.slice(2);
process.stdout.write(`${buildPythonPackage(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), resolve(folder), python)}\n`);
