import { measureCapacity } from './capacity/capacity';
import { measureGrowth } from './growth/growth';
import { measureLoad } from './load/load';
import { measurePortal } from './portal/portal';
import { measureReads } from './reads/reads';
import { runScript } from './run-script';
import { measureScale } from './scale/scale';
import { measureSizes } from './sizes';
import { measureStarts } from './starts';
import { measureTurns } from './turns/turns';

interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly measure: () => Promise<unknown>;
}

const CAPACITY = { restMs: 60_000, reads: { perSecond: 1_000, seconds: 30 }, readers: 600, readersMs: 60_000 };
const GROWTH = { symbols: [1, 10, 50], hours: [1, 24, 720], keys: 10_000 };
const LOAD = { perSecond: 2_000, seconds: 60, overloadSeconds: 20 };
const READS = { rates: [200, 800], durationMs: 30_000 };
const SCALE = { symbolTotals: [10, 50, 100, 200], durationMs: 120_000 };
const TURNS = { perSecond: 200, durationMs: 30_000 };

const benchmarks: readonly Benchmark[] = [
  script('latest', 'CPU per request of latest against bare node:http', 'apps/gateway/bench/latest.ts'),
  script('ingest', 'messages of live connections to log entries against JSON.parse', 'tools/bench/src/live-ingest/live-ingest.ts'),
  script('recordings', 'recordings to events against gunzip and JSON.parse', 'libs/domain/market-data/bench/normalize.ts'),
  script('packets', 'recording to packets against gunzip and JSON.parse', 'libs/domain/labeler/bench/label-recording.ts'),
  script('label', 'the label command against gunzip and JSON.parse', 'apps/cli/bench/label-command.ts'),
  script('import', 'archives to packets: times real time, against a plain read of the same files', 'apps/cli/bench/import-archives.ts'),
  script('day', 'a day of one symbol to packets', 'libs/domain/labeler/bench/label-day.ts'),
  script('rows', 'the recorder writing rows against COPY', 'apps/data-plane/bench/recorder-rows.ts'),
  script('replay', 'an hour by pages and by replay against SQL', 'apps/data-plane/bench/replay.ts'),
  script('archive', "an hour to verified archive files against DuckDB's COPY", 'apps/data-plane/bench/archive.ts'),
  script('year', 'size of a year of one symbol, and queries over it by DuckDB', 'apps/data-plane/bench/archive-year.ts'),
  script('alerts', 'a packet with 10,000 rules against a bare insert', 'apps/webhook/bench/evaluate.ts'),
  script('deliveries', 'webhook deliveries by one worker against bare signed posts', 'apps/webhook/bench/deliver.ts'),
  script('exports', "parts of exports against DuckDB's COPY, bytes per row, memory", 'tools/bench/src/exports/exports.ts'),
  {
    name: 'reads',
    title: 'every read route at constant rates with the feed running, and its CPU against bare node:http',
    measure: () => measureReads(READS, say),
  },
  {
    name: 'turns',
    title: 'turns of the event loops over 10 ms by function and route, at 200 reads/s',
    measure: () => measureTurns(TURNS, say),
  },
  {
    name: 'load',
    title: 'latest at 2,000 requests/s with running feeds, at full speed against nginx, and at three times the load',
    measure: () => measureLoad(LOAD, say),
  },
  {
    name: 'capacity',
    title: 'cost of a symbol, a read and a message; writes docs/capacity.md',
    measure: () => measureCapacity(CAPACITY, say),
  },
  {
    name: 'scale',
    title: 'CPU, memory, disk, packets on time and closing tick to packet by symbols; writes docs/capacity.md',
    measure: () => measureScale(SCALE, say),
  },
  {
    name: 'growth',
    title: 'CPU of all processes per read by symbols, stored packets and keys',
    measure: () => measureGrowth(GROWTH, say),
  },
  {
    name: 'sizes',
    title: 'bytes of answers and rows; writes the table that quotes use for byte estimates',
    measure: () => measureSizes(say),
  },
  { name: 'portal', title: 'pages of the portal in Chromium, against their budgets', measure: () => measurePortal(say) },
  { name: 'starts', title: 'start times and memory of the whole stack', measure: () => measureStarts(say) },
];

function script(name: string, title: string, file: string): Benchmark {
  return { name, title, measure: () => runScript(file) };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Measures every number that the documents cite; `npm run bench -- replay archive` runs those two. */
async function main(): Promise<void> {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0)
    throw new Error(
      `Unknown benchmark ${unknown.join(', ')}. ` +
        `Benchmarks:\n${benchmarks.map(({ name, title }) => `  ${name.padEnd(13)} ${title}`).join('\n')}`,
    );
  for (const { name, title, measure } of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
    say(`\n# ${name}: ${title}`);
    await measure();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
