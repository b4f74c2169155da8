import type { marketData } from '@market-state/contracts';
import { type StreamPosition, hasGap, formatPosition, lastPartOf } from './position';
import type { ChannelName } from '../clients/market-data-client';

/** Kinds of messages, as `event:` names them. */
export const MESSAGE_KINDS = ['plan', 'row', 'gap', 'packet', 'conflated', 'skipped', 'heartbeat', 'receipt', 'end'] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A message that is rendered once, with the id that most of its readers get. */
export interface Rendered {
  /** Of the position in that id. */
  readonly epoch: number;
  readonly ordinal: number;
  /** The last part of that id. */
  readonly idLastPart: number;
  /** The whole message, its `id:` line first. */
  readonly bytes: Buffer;
  /** What of them follows that line. */
  readonly body: Buffer;
}

/** A message as the ring holds it. */
export interface Frame extends Rendered {
  readonly kind: 'row' | 'gap' | 'packet';
  /** Channel of a row; `packets` for a packet; null for a gap of every channel. */
  readonly channel: ChannelName | null;
  /** Of the row; of the row before a gap; of a packet 0, for it goes by its window. */
  readonly ordinal: number;
  /** Of a gap: which it is of those after its row, from 1; else 0. */
  readonly gapNumber: number;
  /** Of a packet, milliseconds since the epoch; else 0. */
  readonly windowEndMs: number;
  /** Feed clock when it was received, milliseconds since the epoch; 0 where not known. */
  readonly receivedMs: number;
  /** The instant by which intervals of conflation take it, milliseconds since the epoch. */
  readonly takenMs: number;
  /** A newer row of the same kind takes its place in a conflated stream; null where each row counts. */
  readonly replacedBy: 'book' | 'tick' | null;
}

type FrameFacts = Omit<Frame, 'bytes' | 'body' | 'idLastPart'>;

/** Renders a message with the id of `position`; `data` are pieces of one line. */
export function render(event: MessageKind, position: StreamPosition, data: readonly (string | Uint8Array)[]): Rendered {
  const id = `id: ${formatPosition(position)}\n`;
  const pieces = [`${id}event: ${event}\ndata: `, ...data, '\n\n'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  const bytes = Buffer.concat(pieces);
  const { epoch, ordinal } = position;
  return { epoch, ordinal, idLastPart: lastPartOf(position), bytes, body: bytes.subarray(id.length) };
}

/** Renders a message of the ring. */
export function makeFrame(facts: FrameFacts, event: MessageKind, position: StreamPosition, data: readonly (string | Uint8Array)[]): Frame {
  return { ...render(event, position, data), ...facts };
}

/** The message with the id that `position` has: the bytes held, unless the reader's packets stand elsewhere. */
export function renderedBytes(rendered: Rendered, position: StreamPosition): readonly Buffer[] {
  if (position.ordinal === rendered.ordinal && position.epoch === rendered.epoch && lastPartOf(position) === rendered.idLastPart)
    return [rendered.bytes];
  return withId(formatPosition(position), rendered);
}

/** The message with another id. */
export function withId(id: string, { body }: Rendered): readonly Buffer[] {
  return [Buffer.from(`id: ${id}\n`), body];
}

/** A message that is made for one reader. */
export function makeMessage(event: MessageKind, data: unknown, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Whether a reader at `position` has not had this message yet. */
export function isBeyond(frame: Frame, position: StreamPosition): boolean {
  switch (frame.kind) {
    case 'row':
      return frame.ordinal > position.ordinal;
    case 'gap':
      return !hasGap(position, frame.ordinal, frame.gapNumber);
    case 'packet':
      return frame.windowEndMs > position.windowEndMs;
  }
}

/** Where a reader stands once it has had this message, too. */
export function advance(position: StreamPosition, frame: Frame): StreamPosition {
  switch (frame.kind) {
    case 'row':
      return {
        epoch: frame.epoch,
        ordinal: frame.ordinal,
        windowEndMs: Math.max(position.windowEndMs, frame.windowEndMs),
        gapsSent: 0,
        packetSent: false,
      };
    case 'gap':
      return { ...position, epoch: frame.epoch, ordinal: frame.ordinal, gapsSent: frame.gapNumber };
    case 'packet':
      return { ...position, windowEndMs: frame.windowEndMs };
  }
}

/** Which gap it is of those that stand right after one row, from 1. */
export interface NumberedGap {
  readonly epoch: number;
  readonly ordinal: number;
  readonly gapNumber: number;
}

/** Numbers the gaps of one connection, which tells all gaps of a row together and in the same order each time. */
export function createGapNumbers() {
  let ordinalOfLast = -1;
  let gapNumber = 0;
  return {
    /** `before`: where a gap stands that names no row itself. */
    next({ place }: marketData.Gap, before: Pick<StreamPosition, 'epoch' | 'ordinal'>): NumberedGap {
      const { epoch, ordinal } = place ?? before;
      gapNumber = ordinal === ordinalOfLast ? gapNumber + 1 : 1;
      ordinalOfLast = ordinal;
      return { epoch, ordinal, gapNumber };
    },
    /** A new connection begins. */
    restart(): void {
      ordinalOfLast = -1;
    },
  };
}
