/** Baseline: `node gunzip-split.mjs <archives...>` decompresses the files and splits the cells of every line. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

for (const file of process.argv.slice(2)) {
  let rest = '';
  for await (const text of createReadStream(file).pipe(createGunzip()).setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) line.split(',');
  }
}
