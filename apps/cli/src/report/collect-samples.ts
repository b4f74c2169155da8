import { basename } from 'node:path';
import {
  CHECKPOINT_SCHEMA,
  createState,
  LineError,
  PACKET_ROW_SCHEMA,
  readPacketRow,
  reduce,
  SIGNING_KEY_SCHEMA,
  type PacketRow,
} from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { sampleOf, type ReportSample } from '@market-state/report';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { lineFile, type LineFile } from '../io/file-lines';
import { counted } from '../io/instant';
import { openFiles } from '../io/open-files';
import type { Progress } from '../io/progress';
import { readPolicy } from '../io/read-policy';

/** Schemas of lines that may stand between packets. */
const OTHER_SCHEMAS: readonly unknown[] = [EVENT_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA];
const OUR_SCHEMAS: readonly unknown[] = [PACKET_ROW_SCHEMA, ...OTHER_SCHEMAS];
/** How rows begin as we write them: most lines of a mixed file, and not to be parsed to be passed over. */
const EVENT_ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

export interface SampleSettings {
  readonly files: readonly string[];
  readonly symbol?: string;
  readonly instrument?: string;
  readonly policy?: string;
}

/** What is reported on, and what it was made from, one sentence. */
export interface Samples {
  readonly samples: readonly ReportSample[];
  readonly source: string;
}

/**
 * The packets that the files hold, whatever other lines of ours stand between; where there are none, those that rows or a recording give,
 * labelled for it.
 */
export async function collectSamples(settings: SampleSettings, io: CliIo, progress: Progress): Promise<Samples> {
  const files = settings.files.map((name) => lineFile(name, io));
  const [first] = files;
  if (first === undefined || !(await holdsOurLines(first))) return labelled(settings, io, progress);
  const packets = { total: 0, samples: [] as ReportSample[] };
  for (const file of files) {
    for await (const rows of packetRows(file)) {
      packets.total += rows.length;
      packets.samples.push(
        ...rows.filter(({ symbol }) => settings.symbol === undefined || symbol === settings.symbol).map(({ packet }) => sampleOf(packet)),
      );
      progress.tell(() => `${file.name}: ${counted(packets.samples.length, 'packet')}`);
    }
  }
  if (packets.total === 0) return labelled(settings, io, progress);
  if (settings.policy !== undefined) throw badInput('--policy does not go with packets: they are labelled already');
  return { samples: packets.samples, source: `Packets of ${namesOf(settings.files)}.` };
}

async function holdsOurLines(file: LineFile): Promise<boolean> {
  for await (const lines of file.lines) {
    const line = lines.find((text) => text !== '');
    if (line !== undefined) return OUR_SCHEMAS.includes(schemaOf(line));
  }
  return false;
}

function schemaOf(line: string): unknown {
  try {
    return schemaNamed(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function schemaNamed(json: unknown): unknown {
  return (json as { readonly schema?: unknown } | null)?.schema;
}

/** The packet rows of a file, a batch of lines at a time. */
async function* packetRows(file: LineFile): AsyncGenerator<readonly PacketRow[]> {
  let lineNumber = 0;
  for await (const lines of file.lines) {
    const rows: PacketRow[] = [];
    for (const line of lines) {
      lineNumber++;
      if (line === '' || line.startsWith(EVENT_ROW_START)) continue;
      const row = packetRow(line, `${file.name}:${lineNumber}`);
      if (row !== undefined) rows.push(row);
    }
    yield rows;
  }
}

/** Undefined for a line of another schema of ours. */
function packetRow(line: string, place: string): PacketRow | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return OTHER_SCHEMAS.includes(schemaNamed(json)) ? undefined : readPacketRow(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw badInput(`${place}: the line is not JSON (${error.message})`);
    if (error instanceof LineError) throw badInput(...error.faults.map((fault) => `${place}: ${fault}`));
    throw error;
  }
}

async function labelled(settings: SampleSettings, io: CliIo, progress: Progress): Promise<Samples> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const recording = await openFiles(settings.files, settings, io);
  const state = createState(recording.symbol, policy);
  const samples: ReportSample[] = [];
  for await (const events of recording.events) {
    for (const event of events) samples.push(...reduce(state, event).map(({ packet }) => sampleOf(packet)));
    progress.tell(() => `${recording.symbol}: ${counted(samples.length, 'packet')}`);
  }
  if (samples.length === 0) throw recording.nothingLabelled();
  return { samples, source: `Labelled from ${namesOf(settings.files)}.` };
}

function namesOf(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
