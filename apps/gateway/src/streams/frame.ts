import type { marketData } from '@market-state/contracts';
import { type StreamPosition, hasGap, formatPosition, lastPartOf } from './position';
import type { ChannelName } from '../clients/market-data-client';
import { answerText } from '../serving/meta/meta';

/** Values of `event:`. */
export const MESSAGE_KINDS = ['plan', 'row', 'gap', 'packet', 'conflated', 'skipped', 'heartbeat', 'receipt', 'end'] as const;

export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Rendered once, with the id that most readers get. */
export interface Rendered {
  /** Part of that id. */
  readonly epoch: number;
  readonly ordinal: number;
  readonly idLastPart: number;
  readonly bytes: Buffer;
  /** After the `id:` line. */
  readonly body: Buffer;
}

export interface Frame extends Rendered {
  readonly kind: 'row' | 'gap' | 'packet';
  /** Null for a gap of all channels. */
  readonly channel: ChannelName | null;
  /** For a gap, that of the row before it; 0 for a packet, which is ordered by window. */
  readonly ordinal: number;
  /** Counts a row's gaps from 1; else 0. */
  readonly gapNumber: number;
  readonly windowEndMs: number;
  /** Feed clock; 0 if unknown. */
  readonly receivedMs: number;
  readonly takenAtMs: number;
  /** Kind of newer row that replaces this one when conflated; null if every row counts. */
  readonly replacedBy: 'book' | 'tick' | null;
}

type FrameFacts = Omit<Frame, 'bytes' | 'body' | 'idLastPart'>;

/** `data` is one line in pieces. */
export function render(event: MessageKind, position: StreamPosition, data: readonly (string | Uint8Array)[]): Rendered {
  const id = `id: ${formatPosition(position)}\n`;
  const pieces = [`${id}event: ${event}\ndata: `, ...data, '\n\n'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  const bytes = Buffer.concat(pieces);
  const { epoch, ordinal } = position;
  return { epoch, ordinal, idLastPart: lastPartOf(position), bytes, body: bytes.subarray(id.length) };
}

export function makeFrame(facts: FrameFacts, event: MessageKind, position: StreamPosition, data: readonly (string | Uint8Array)[]): Frame {
  return { ...render(event, position, data), ...facts };
}

/** Shared bytes, unless the reader's packet position differs. */
export function renderedBytes(rendered: Rendered, position: StreamPosition): readonly Buffer[] {
  if (position.ordinal === rendered.ordinal && position.epoch === rendered.epoch && lastPartOf(position) === rendered.idLastPart)
    return [rendered.bytes];
  return withId(formatPosition(position), rendered);
}

export function withId(id: string, { body }: Rendered): readonly Buffer[] {
  return [Buffer.from(`id: ${id}\n`), body];
}

export function makeMessage(event: MessageKind, data: unknown, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${answerText(data)}\n\n`);
}

const MESSAGE = /^(?:id: ([^\n]*)\n)?event: ([^\n]*)\ndata: ([^\n]*)$/;

/** Messages of WebSocket, `{"id":…,"event":…,"data":…}`, from those rendered as server-sent events. */
export function toTextMessages(bytes: Buffer): string[] {
  const messages = bytes.toString('utf8').split('\n\n').slice(0, -1);
  return messages.map((message) => {
    const [, id, event, data] = MESSAGE.exec(message) ?? [];
    return `{"id":${id === undefined ? 'null' : `"${id}"`},"event":"${event}","data":${data}}`;
  });
}

/** False if a reader at `position` has the message. */
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

/** Position after this message. */
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

export interface NumberedGap {
  readonly epoch: number;
  readonly ordinal: number;
  readonly gapNumber: number;
}

/** A connection sends all gaps of a row together and always in the same order. */
export function createGapNumbers() {
  let ordinalOfLast = -1;
  let gapNumber = 0;
  return {
    /** `before`: position of a gap that names no row. */
    next({ place }: marketData.Gap, before: Pick<StreamPosition, 'epoch' | 'ordinal'>): NumberedGap {
      const { epoch, ordinal } = place ?? before;
      gapNumber = ordinal === ordinalOfLast ? gapNumber + 1 : 1;
      ordinalOfLast = ordinal;
      return { epoch, ordinal, gapNumber };
    },
    restart(): void {
      ordinalOfLast = -1;
    },
  };
}
