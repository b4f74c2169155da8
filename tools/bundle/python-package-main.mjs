import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPythonPackages } from './python-package.mjs';

/** `node tools/bundle/python-package-main.mjs <folder>` */
const [folder] = process.argv.slice(2);
const { wheel, sdist } = buildPythonPackages(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), resolve(folder));
process.stdout.write(`${wheel}\n${sdist}\n`);
