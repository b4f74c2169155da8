import { compareEntryIds, type EntryId, type LogEntry } from './entries';

export interface TailLimits {
  readonly entries: number;
  readonly ageMs: number;
}

const TAIL_LIMITS: TailLimits = { entries: 10_000, ageMs: 60_000 };

export interface LeasedSince {
  /** Undefined if only the successors are cached. */
  readonly payload: Uint8Array | undefined;
  /** Oldest first. Payloads are valid until the next push. */
  readonly entries: readonly LogEntry[];
}

export interface Tail {
  /** @param bytesMax memory limit; one piece (16 KiB or one larger payload) is always allowed */
  push(entries: readonly LogEntry[], bytesMax: number): void;
  /** Undefined if neither this entry nor its successor is cached. */
  since(id: EntryId): LeasedSince | undefined;
  bytes(): number;
}

const PIECE_BYTES = 16_384;
const PIECE_ENTRIES = 64;
const FACTS = 4;

/** Entries share one buffer: thousands of small ones would double the memory. */
interface Piece {
  readonly payloads: Uint8Array;
  readonly facts: Float64Array;
  /** Includes the dropped ones, which are the oldest. */
  count: number;
  dropped: number;
}

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

function endOf(piece: Piece): number {
  return piece.count === 0 ? 0 : fact(piece, piece.count - 1, 3);
}

function sizeOf({ payloads, facts }: Piece): number {
  return payloads.byteLength + facts.byteLength;
}
