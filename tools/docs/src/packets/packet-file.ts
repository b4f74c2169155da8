import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPacketRow, type Packet, type PacketRow } from '@market-state/labeler';
import type { WordKind } from './choices';
import { workspaceFolder } from '../site/workspace-file';

/** Where a packet of the documentation came from, so that anyone can make it again. */
export interface PacketSource {
  /** What was labelled, in a few words. */
  readonly log: string;
  /** T of the packet, RFC 3339. */
  readonly window_end_utc: string;
  /** Commands that write all packets of that log; the one with this T is this packet, byte for byte. */
  readonly commands: readonly string[];
}

/** A packet that is kept for the page of its word: the row as the service keeps it, and where it came from. */
export interface PacketFile {
  readonly word: string;
  readonly kind: WordKind;
  readonly source: PacketSource;
  readonly row: PacketRow;
}

/** Folder of the packets that pages show. */
export function packetFolder(): string {
  return join(workspaceFolder, 'docs', 'site', 'packets');
}

/**
 * The packet of a state or event class.
 * @throws Error when there is none, LineError naming every fault when its row is not one
 */
export function readPacketFile(word: string): PacketFile {
  const file = JSON.parse(readFileSync(join(packetFolder(), `${word}.json`), 'utf8')) as Omit<PacketFile, 'row'> & {
    readonly row: unknown;
  };
  return { ...file, row: readPacketRow(file.row) };
}

/** The packet that the page of a word shows. */
export function packetOf(word: string): Packet {
  return readPacketFile(word).row.packet;
}
