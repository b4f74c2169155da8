import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { createState, type LabelerState, loadPolicy, packetRowLine, packetRowOf, reduce } from '@market-state/labeler';
import { eventOfRow, type MarketEvent, openRecording, recordingLineBatches, rowLine } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';
import { scenarioSet } from '@market-state/scenarios';
import { openFolder } from '@market-state/testing';
import { needsPython, type Suite } from './harness';

type Batches = Iterable<Iterable<MarketEvent>> | AsyncIterable<Iterable<MarketEvent>>;

interface LabelledFiles {
  readonly rows: string;
  readonly packets: string;
}

async function* recordingLog(names: readonly string[]): AsyncGenerator<readonly MarketEvent[]> {
  const files = names.map((name) => ({ name, lines: recordingLineBatches(createReadStream(bundledRecording(name)).pipe(createGunzip())) }));
  yield* (await openRecording(files)).events;
}

async function writeLabelled(folder: string, batches: Batches): Promise<LabelledFiles> {
  const files = { rows: join(folder, 'rows.ndjson'), packets: join(folder, 'packets.ndjson') };
  const rows = createWriteStream(files.rows);
  const packets = createWriteStream(files.packets);
  const policy = loadPolicy();
  let state: LabelerState | undefined;
  for await (const batch of batches) {
    for (const event of batch) {
      state ??= createState(event.symbol, policy);
      if (!rows.write(`${rowLine(event)}\n`)) await once(rows, 'drain');
      for (const packet of reduce(state, event)) {
        if (!packets.write(`${packetRowLine(packetRowOf(packet))}\n`)) await once(packets, 'drain');
      }
    }
  }
  await Promise.all([rows, packets].map((stream) => (stream.end(), once(stream, 'finish'))));
  return files;
}

const REFERENCE = join('tools', 'reference');

interface Agreement {
  readonly equal: boolean;
  readonly summary: string;
}

async function agreement({ rows, packets }: LabelledFiles): Promise<Agreement> {
  const { code, output } = await python([join(REFERENCE, 'label.py'), rows, '--compare', packets]);
  return { equal: code === 0, summary: output.trimEnd().split('\n').at(-1) ?? '' };
}

/** A synthetic log of rare cases: late, repeated and early events, gaps reported twice, clock jumps. */
async function awkwardLog(seed: number): Promise<readonly (readonly MarketEvent[])[]> {
  const { output } = await python([join(REFERENCE, 'tests', 'awkward_rows.py'), String(seed), '400']);
  return [
    output
      .trimEnd()
      .split('\n')
      .map((line) => eventOfRow(JSON.parse(line))),
  ];
}

function python(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    execFile('python3', [...args], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const RECORDINGS = ['btcusd_perp', 'ethusd_perp'];

export const referenceSuite: Suite = {
  id: 'reference',
  claim:
    'the second labeler, written only from the specification pages, reproduces every digest of the first: both recordings, eight ' +
    'synthetic hours, awkward logs',
  budget: { default: 20, counts: 'awkward logs' },
  short: { seed: 1, budget: 2 },
  needs: [needsPython('json')],
  async run({ closer, report, random, seed, budget, say }) {
    const folder = openFolder(closer);
    const compare = async (name: string, events: Parameters<typeof writeLabelled>[1]) => {
      const { equal, summary } = await agreement(await writeLabelled(folder, events));
      say(`${name}: ${summary}`);
      report.figure(name, summary);
      report.check(equal, `${name}: ${summary}`);
    };
    for (const name of RECORDINGS) await compare(`recording ${name}`, recordingLog([`${name}_20240808.gz`, `${name}_20240809.gz`]));
    await compare(`scenario set, seed ${seed}`, [scenarioSet({ seed }).events]);
    for (let log = 0; log < budget; log++) {
      const awkwardSeed = Math.floor(random() * 1e9);
      await compare(`awkward log ${awkwardSeed}`, await awkwardLog(awkwardSeed));
    }
  },
};
