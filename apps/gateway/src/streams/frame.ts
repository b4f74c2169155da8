import type { ChannelName } from '../clients/channel-name';
import { formatPosition, lastPartOf, type StreamPosition } from '../serving/handlers/stream-position';

/** Kinds of messages, as `event:` names them. */
export const MESSAGE_KINDS = ['plan', 'row', 'gap', 'packet', 'skipped', 'heartbeat', 'receipt', 'end'] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A message as the ring holds it: rendered once, with the id that most readers get. */
export interface Frame {
  readonly kind: 'row' | 'gap' | 'packet';
  /** Channel of a row; `packets` for a packet; null for a gap of every channel. */
  readonly channel: ChannelName | null;
  readonly epoch: number;
  /** Of the row; of the row before a gap; of a packet 0, for it goes by its window. */
  readonly ordinal: number;
  /** Of a gap: which it is of those after its row, from 1; else 0. */
  readonly gapNumber: number;
  /** Of a packet, milliseconds since the epoch; else 0. */
  readonly windowEndMs: number;
  /** Feed clock when it was received, milliseconds since the epoch; 0 where not known. */
  readonly receivedMs: number;
  /** The whole message, its `id:` line first. */
  readonly bytes: Buffer;
  /** Size of that line. */
  readonly idSizeBytes: number;
  /** The last part of the id in `bytes`. */
  readonly idLastPart: number;
}

type FrameFacts = Omit<Frame, 'bytes' | 'idSizeBytes' | 'idLastPart'>;

/** Renders a message with the id of `position`; `data` are pieces of one line. */
export function makeFrame(facts: FrameFacts, event: MessageKind, position: StreamPosition, data: readonly (string | Uint8Array)[]): Frame {
  const id = `id: ${formatPosition(position)}\n`;
  const pieces = [`${id}event: ${event}\ndata: `, ...data, '\n\n'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return { ...facts, bytes: Buffer.concat(pieces), idSizeBytes: id.length, idLastPart: lastPartOf(position) };
}

/** The message with the id that `position` has: the bytes held, unless the reader's packets stand elsewhere. */
export function frameBytes(frame: Frame, position: StreamPosition): readonly Buffer[] {
  if (position.ordinal === frame.ordinal && position.epoch === frame.epoch && lastPartOf(position) === frame.idLastPart)
    return [frame.bytes];
  return [Buffer.from(`id: ${formatPosition(position)}\n`), frame.bytes.subarray(frame.idSizeBytes)];
}

/** A message that is made for one reader; `position` gives it an id. */
export function makeMessage(event: MessageKind, data: unknown, position?: StreamPosition): Buffer {
  const id = position === undefined ? '' : `id: ${formatPosition(position)}\n`;
  return Buffer.from(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
