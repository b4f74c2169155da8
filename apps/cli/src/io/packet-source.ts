import { basename } from 'node:path';
import {
  createState,
  type LineFile,
  reduce,
  type Packet,
  type Policy,
  CHECKPOINT_SCHEMA,
  LineError,
  PACKET_ROW_SCHEMA,
  readPacketRow,
  SIGNING_KEY_SCHEMA,
  type PacketRow,
} from '@market-state/labeler';
import { type MarketEvent, EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from './cli-io';
import { lineFile } from './file-lines';
import { counted } from './instant';
import { openFiles, symbolsOf, type Chosen, type OpenFiles } from './open-files';
import type { Progress } from './progress';
import { readPolicy } from './read-policy';

/** Other schemas that may appear in a packet file. */
const OTHER_SCHEMAS: readonly unknown[] = [EVENT_ROW_SCHEMA, CHECKPOINT_SCHEMA, SIGNING_KEY_SCHEMA];
const OUR_SCHEMAS: readonly unknown[] = [PACKET_ROW_SCHEMA, ...OTHER_SCHEMAS];
/** Most lines of a mixed file are rows; this prefix lets them be skipped without parsing. */
const EVENT_ROW_START = `{"schema":"${EVENT_ROW_SCHEMA}",`;

async function holdPackets(files: readonly LineFile[]): Promise<boolean> {
  const [first] = files;
  if (first === undefined || !(await holdsOurLines(first))) return false;
  for (const file of files) {
    for await (const rows of packetRows(file)) if (rows.length > 0) return true;
  }
  return false;
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

/** Throws CliError (bad input) for a line of an unknown schema. */
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

/** Returns undefined for other known schemas. */
function packetRow(line: string, place: string): PacketRow | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return OTHER_SCHEMAS.includes(schemaNamed(json)) ? undefined : readPacketRow(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw badInput(`${place}: not JSON (${error.message})`);
    if (error instanceof LineError) throw badInput(...error.faults.map((fault) => `${place}: ${fault}`));
    throw error;
  }
}

export interface PacketSourceSettings extends Chosen {
  readonly files: readonly string[];
  readonly policy?: string;
}

/** Log entry and the packets it closes, or packets read from a file without an entry. */
interface PacketStep {
  readonly entry?: MarketEvent;
  readonly packets: readonly Packet[];
}

/** Stream of packets and a one-sentence description of their source. */
interface PacketSource {
  readonly steps: AsyncGenerator<readonly PacketStep[]>;
  readonly source: string;
}

/** Packets in the files if there are any; otherwise the recording or rows are labelled. */
export async function openPackets(settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<PacketSource> {
  const held = await heldPackets(settings, io, progress);
  return held ?? labelled(await openFiles(settings.files, settings, io), settings, io, progress);
}

/** Like `openPackets`, but for every symbol of the files unless one is named. */
export async function openPacketsOfSymbols(
  settings: PacketSourceSettings,
  io: CliIo,
  progress: Progress,
): Promise<readonly PacketSource[]> {
  const held = await heldPackets(settings, io, progress);
  if (held !== undefined) return [held];
  const symbols = settings.symbol === undefined ? await symbolsOf(settings.files, settings, io) : [settings.symbol];
  const sources: PacketSource[] = [];
  for (const symbol of symbols)
    sources.push(await labelled(await openFiles(settings.files, { ...settings, symbol }, io), settings, io, progress));
  return sources;
}

async function heldPackets(settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<PacketSource | undefined> {
  const files = settings.files.map((name) => lineFile(name, io));
  if (!(await holdPackets(files))) return undefined;
  if (settings.policy !== undefined) throw badInput('--policy cannot be used with packets, which are already labelled');
  return { steps: readPackets(files, settings.symbol, progress), source: `Packets of ${namesOf(settings.files)}.` };
}

async function* readPackets(
  files: readonly LineFile[],
  requested: string | undefined,
  progress: Progress,
): AsyncGenerator<readonly PacketStep[]> {
  let total = 0;
  for (const file of files) {
    for await (const rows of packetRows(file)) {
      const packets = rows.filter(({ symbol }) => requested === undefined || symbol === requested).map(({ packet }) => packet);
      total += packets.length;
      yield [{ packets }];
      progress.report(() => `${file.name}: ${counted(total, 'packet')}`);
    }
  }
}

async function labelled(recording: OpenFiles, settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<PacketSource> {
  const policy = await readPolicy(settings.policy, io.cwd);
  return { steps: labelPackets(recording, policy, progress), source: `Labelled from ${namesOf(settings.files)}.` };
}

async function* labelPackets(recording: OpenFiles, policy: Policy, progress: Progress): AsyncGenerator<readonly PacketStep[]> {
  const state = createState(recording.symbol, policy);
  let total = 0;
  for await (const events of recording.events) {
    const steps = events.map((entry) => ({ entry, packets: reduce(state, entry).map(({ packet }) => packet) }));
    total += steps.reduce((sum, { packets }) => sum + packets.length, 0);
    yield steps;
    progress.report(() => `${recording.symbol}: ${counted(total, 'packet')}`);
  }
  if (total === 0) throw recording.nothingLabelled();
}

function namesOf(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
