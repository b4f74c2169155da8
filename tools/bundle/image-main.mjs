import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeImage } from './image.mjs';

/** `node tools/bundle/image-main.mjs <app> <folder>` */
const [app, folder, ...more] = process.argv.slice(2);
try {
  if (folder === undefined || more.length > 0) throw new Error('Two arguments are required: an app and a folder.');
  makeImage(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), app, resolve(folder), secondsOf(process.env.SOURCE_DATE_EPOCH));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function secondsOf(text = '') {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new Error(
    `SOURCE_DATE_EPOCH must be the time of the sources in whole seconds since 1970, as printed by git log -1 --format=%ct, not "${text}".`,
  );
}
