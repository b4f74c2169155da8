import { basename } from 'node:path';
import { createState, LineError, PACKET_ROW_SCHEMA, readPacketRow, reduce } from '@market-state/labeler';
import { sampleOf, type ReportSample } from '@market-state/report';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { lineFile, type LineFile } from '../io/file-lines';
import { counted } from '../io/instant';
import { openFiles } from '../io/open-files';
import type { Progress } from '../io/progress';
import { readPolicy } from '../io/read-policy';

export interface SampleSettings {
  readonly files: readonly string[];
  readonly symbol?: string;
  readonly policy?: string;
}

/** What is reported on, and what it was made from, one sentence. */
export interface Samples {
  readonly samples: readonly ReportSample[];
  readonly source: string;
}

/** The packets of packet files, or those of a recording, which is labelled for it. */
export async function collectSamples(settings: SampleSettings, io: CliIo, progress: Progress): Promise<Samples> {
  const files = settings.files.map((name) => lineFile(name, io));
  const [first] = files;
  if (first === undefined || !(await holdsPackets(first))) return labelled(settings, io, progress);
  if (settings.policy !== undefined) throw badInput('--policy does not go with packets: they are labelled already');
  const samples: ReportSample[] = [];
  for (const file of files) samples.push(...(await packetSamples(file, settings.symbol, progress)));
  return { samples, source: `Packets of ${namesOf(settings.files)}.` };
}

async function holdsPackets(file: LineFile): Promise<boolean> {
  for await (const lines of file.lines) {
    const line = lines.find((text) => text !== '');
    if (line !== undefined) return schemaOf(line) === PACKET_ROW_SCHEMA;
  }
  return false;
}

function schemaOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly schema?: unknown } | null)?.schema;
  } catch {
    return undefined;
  }
}

async function packetSamples(file: LineFile, symbol: string | undefined, progress: Progress): Promise<readonly ReportSample[]> {
  const samples: ReportSample[] = [];
  let lineNumber = 0;
  for await (const lines of file.lines) {
    for (const line of lines) {
      lineNumber++;
      if (line === '') continue;
      const row = packetRow(line, `${file.name}:${lineNumber}`);
      if (symbol === undefined || row.symbol === symbol) samples.push(sampleOf(row.packet));
    }
    progress.tell(() => `${file.name}: ${counted(samples.length, 'packet')}`);
  }
  return samples;
}

function packetRow(line: string, place: string) {
  try {
    return readPacketRow(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) throw badInput(`${place}: the line is not JSON (${error.message})`);
    if (error instanceof LineError) throw badInput(...error.faults.map((fault) => `${place}: ${fault}`));
    throw error;
  }
}

async function labelled(settings: SampleSettings, io: CliIo, progress: Progress): Promise<Samples> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const recording = await openFiles(settings.files, settings.symbol, io);
  const state = createState(recording.symbol, policy);
  const samples: ReportSample[] = [];
  for await (const events of recording.events) {
    for (const event of events) samples.push(...reduce(state, event).map(({ packet }) => sampleOf(packet)));
    progress.tell(() => `${recording.symbol}: ${counted(samples.length, 'packet')}`);
  }
  return { samples, source: `Labelled from ${namesOf(settings.files)}.` };
}

function namesOf(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
