import { basename } from 'node:path';
import { createState, type LineFile, reduce, type Packet, type Policy } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
import { badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { lineFile } from '../io/file-lines';
import { counted } from '../io/instant';
import { openFiles, symbolsOf, type Chosen, type OpenFiles } from '../io/open-files';
import type { Progress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { holdPackets, packetRows } from './packet-lines';

export interface PacketSourceSettings extends Chosen {
  readonly files: readonly string[];
  readonly policy?: string;
}

/** An entry of the log, where packets are made from one, and the packets that it closes; else packets as they are read. */
export interface PacketStep {
  readonly entry?: MarketEvent;
  readonly packets: readonly Packet[];
}

/** Packets as they are read or made, and what they are made from, one sentence. */
export interface PacketSource {
  readonly steps: AsyncGenerator<readonly PacketStep[]>;
  readonly source: string;
}

/**
 * The packets that the files hold, whatever other lines of ours stand between; where there are none, those that rows or a recording give,
 * labelled for it.
 */
export async function openPackets(settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<PacketSource> {
  const held = await heldPackets(settings, io, progress);
  return held ?? labelled(await openFiles(settings.files, settings, io), settings, io, progress);
}

/** The same for every symbol of the files, unless one is named. */
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
  if (settings.policy !== undefined) throw badInput('--policy does not go with packets: they are labelled already');
  return { steps: readPackets(files, settings.symbol, progress), source: `Packets of ${namesOf(settings.files)}.` };
}

async function* readPackets(
  files: readonly LineFile[],
  asked: string | undefined,
  progress: Progress,
): AsyncGenerator<readonly PacketStep[]> {
  let total = 0;
  for (const file of files) {
    for await (const rows of packetRows(file)) {
      const packets = rows.filter(({ symbol }) => asked === undefined || symbol === asked).map(({ packet }) => packet);
      total += packets.length;
      yield [{ packets }];
      progress.tell(() => `${file.name}: ${counted(total, 'packet')}`);
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
    progress.tell(() => `${recording.symbol}: ${counted(total, 'packet')}`);
  }
  if (total === 0) throw recording.nothingLabelled();
}

function namesOf(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
