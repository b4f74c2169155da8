import { run } from './run-script';
import { measureStarts } from './starts';

const scripts: readonly { readonly title: string; readonly file: string }[] = [
  { title: 'latest: CPU for each request against bare node:http', file: 'apps/gateway/bench/latest.ts' },
  { title: 'ingest: venue messages to events', file: 'libs/domain/market-data/bench/normalize.ts' },
  { title: 'recording to packets against gunzip and JSON.parse', file: 'libs/domain/labeler/bench/label-recording.ts' },
  { title: 'the label command against gunzip and JSON.parse', file: 'apps/cli/bench/label-command.ts' },
  { title: 'a day of one symbol to packets', file: 'libs/domain/labeler/bench/label-day.ts' },
  { title: 'recorder: rows against COPY', file: 'apps/data-plane/bench/recorder-rows.ts' },
];

/** Every figure that the documents name, measured here and now. `npm run bench -- latest` runs those whose title holds the word. */
async function main(): Promise<void> {
  const word = process.argv[2] ?? '';
  for (const { title, file } of scripts.filter(({ title }) => title.includes(word))) {
    process.stdout.write(`\n# ${title}\n`);
    await run(file);
  }
  const title = 'starts and memory of the whole stack';
  if (!title.includes(word)) return;
  process.stdout.write(`\n# ${title}\n`);
  await measureStarts((line) => process.stdout.write(`${line}\n`));
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
