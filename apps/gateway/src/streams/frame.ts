import type { ChannelName } from '../clients/channel-name';
import { formatPlace, lastPartOf, type Place } from '../serving/handlers/place';

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

/** Renders a message with the id of `place`; `data` are pieces of one line. */
export function makeFrame(facts: FrameFacts, event: MessageKind, place: Place, data: readonly (string | Uint8Array)[]): Frame {
  const id = `id: ${formatPlace(place)}\n`;
  const pieces = [`${id}event: ${event}\ndata: `, ...data, '\n\n'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return { ...facts, bytes: Buffer.concat(pieces), idSizeBytes: id.length, idLastPart: lastPartOf(place) };
}

/** The message with the id that `place` has: the bytes held, unless the reader's packets stand elsewhere. */
export function frameBytes(frame: Frame, place: Place): readonly Buffer[] {
  if (place.ordinal === frame.ordinal && place.epoch === frame.epoch && lastPartOf(place) === frame.idLastPart) return [frame.bytes];
  return [Buffer.from(`id: ${formatPlace(place)}\n`), frame.bytes.subarray(frame.idSizeBytes)];
}

/** A message that is made for one reader; `place` gives it an id. */
export function makeMessage(event: MessageKind, data: unknown, place?: Place): Buffer {
  const id = place === undefined ? '' : `id: ${formatPlace(place)}\n`;
  return Buffer.from(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
