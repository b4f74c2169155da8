import { compareEntryIds, type EntryId, type LogEntry } from './entries';

/** What a tail keeps at most; whichever of them is less. */
export interface TailLimits {
  readonly entries: number;
  /** Since an entry was appended, milliseconds. */
  readonly ageMs: number;
}

const TAIL_LIMITS: TailLimits = { entries: 10_000, ageMs: 60_000 };

/** What a tail has of the entries behind an id. */
export interface HeldSince {
  /** Payload of the entry with that id; undefined for the one before the oldest held. */
  readonly payload: Uint8Array | undefined;
  /** Oldest first; their payloads hold until the next push. */
  readonly entries: readonly LogEntry[];
}

/** The newest entries of a stream, without a hole, as they were appended: enough to append them again. */
export interface Tail {
  /**
   * Adds the entries that follow the newest one, and lets go of what is beyond the limits.
   * @param bytesMax memory, beside which one piece of 16 KiB, or of the payload that is larger, is always taken
   */
  push(entries: readonly LogEntry[], bytesMax: number): void;
  /** What came after this entry; undefined when neither it nor the one after it is held. */
  since(id: EntryId): HeldSince | undefined;
  /** Memory that it takes. */
  bytes(): number;
}

const PIECE_BYTES = 16_384;
const PIECE_ENTRIES = 64;
/** Epoch, ordinal, time of the append, and where its payload ends. */
const FACTS = 4;

/** Entries in a row, copied into one piece of memory: thousands of small ones would take as much again. */
interface Piece {
  readonly payloads: Uint8Array;
  readonly facts: Float64Array;
  /** How many it has, and how many of them, the oldest, were let go of. */
  count: number;
  dropped: number;
}

/** @param before id of the entry before the first that is pushed, where there is one */
export function createTail(before: EntryId | undefined, nowMs: () => number, limits: TailLimits = TAIL_LIMITS): Tail {
  const pieces: Piece[] = [];
  let floor = before;
  let held = 0;
  let bytes = 0;

  function dropOldest(): void {
    const [piece] = pieces;
    if (piece === undefined) return;
    floor = idAt(piece, piece.dropped);
    piece.dropped += 1;
    held -= 1;
    if (piece.dropped < piece.count) return;
    pieces.shift();
    bytes -= sizeOf(piece);
  }

  function dropBeyondLimits(): void {
    const oldestMs = nowMs() - limits.ageMs;
    for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
      if (held <= limits.entries && fact(piece, piece.dropped, 2) >= oldestMs) return;
      dropOldest();
    }
  }

  function pieceFor(payloadBytes: number, bytesMax: number): Piece {
    const last = pieces.at(-1);
    if (last !== undefined && last.count < PIECE_ENTRIES && endOf(last) + payloadBytes <= last.payloads.length) return last;
    const piece = {
      payloads: new Uint8Array(Math.max(PIECE_BYTES, payloadBytes)),
      facts: new Float64Array(PIECE_ENTRIES * FACTS),
      count: 0,
      dropped: 0,
    };
    while (pieces.length > 0 && bytes + sizeOf(piece) > bytesMax) dropOldest();
    pieces.push(piece);
    bytes += sizeOf(piece);
    return piece;
  }

  return {
    bytes: () => bytes,
    push(entries, bytesMax) {
      const atMs = nowMs();
      for (const { epoch, ordinal, payload } of entries) {
        const piece = pieceFor(payload.length, bytesMax);
        const start = endOf(piece);
        piece.payloads.set(payload, start);
        piece.facts.set([epoch, ordinal, atMs, start + payload.length], piece.count * FACTS);
        piece.count += 1;
        held += 1;
        if (held > limits.entries) dropOldest();
      }
      dropBeyondLimits();
    },
    since(id) {
      let payload: Uint8Array | undefined;
      let isHeld = floor !== undefined && compareEntryIds(floor, id) === 0;
      const after: LogEntry[] = [];
      for (const piece of pieces) {
        for (let at = piece.dropped; at < piece.count; at += 1) {
          const entry = { ...idAt(piece, at), payload: payloadAt(piece, at) };
          const order = compareEntryIds(entry, id);
          if (order > 0) after.push(entry);
          else if (order === 0) {
            isHeld = true;
            ({ payload } = entry);
          }
        }
      }
      return isHeld ? { payload, entries: after } : undefined;
    },
  };
}

function fact(piece: Piece, at: number, which: 0 | 1 | 2 | 3): number {
  return piece.facts[at * FACTS + which] ?? 0;
}

function idAt(piece: Piece, at: number): EntryId {
  return { epoch: fact(piece, at, 0), ordinal: fact(piece, at, 1) };
}

function payloadAt(piece: Piece, at: number): Uint8Array {
  return piece.payloads.subarray(at === 0 ? 0 : fact(piece, at - 1, 3), fact(piece, at, 3));
}

/** Where the next payload begins. */
function endOf(piece: Piece): number {
  return piece.count === 0 ? 0 : fact(piece, piece.count - 1, 3);
}

function sizeOf({ payloads, facts }: Piece): number {
  return payloads.byteLength + facts.byteLength;
}
