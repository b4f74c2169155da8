/** Baseline: `node gunzip-parse.mjs <recordings...>` decompresses the files and parses the JSON of every line. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

for (const file of process.argv.slice(2)) {
  let rest = '';
  for await (const text of createReadStream(file).pipe(createGunzip()).setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) JSON.parse(line.slice(line.indexOf(' ') + 1));
  }
}
