import { crc32 } from 'node:zlib';
import type { labeling } from '@market-state/contracts';
import { withAdvisoryLock } from '@market-state/postgres';
import { beginCursor, ensureRuleVersions, type PacketCursor, readCursor } from '../store/evaluation';
import { inputOf } from '../store/inputs';
import { CursorMoved, evaluatePacket, evaluateSilence } from './evaluate-packet';
import type { EvaluatorDeps } from './evaluator-deps';
import { loadSymbolRules, type SymbolRules } from './symbol-rules';

/** Concurrent symbols; each uses two connections. */
const AT_ONCE = 4;
const PAGE_SIZE = 100;
const PAGE = { fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: PAGE_SIZE, pageToken: '', descending: false, asOfMs: 0 };
/** High half of a symbol's advisory lock; the low half is its digest. */
const LOCK_SPACE = 0x77680000;

interface SymbolsFollower {
  /** Hint that these symbols may have new packets. */
  wake(symbols: readonly string[]): void;
  /** A packet that labeling has pushed. */
  push(packet: labeling.PacketRecord): void;
  close(): Promise<void>;
}

export function followSymbols(deps: EvaluatorDeps): SymbolsFollower {
  const followers = new Map<string, SymbolFollower>();
  const waiting = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const closing = new AbortController();

  function followerOf(symbol: string): SymbolFollower {
    const follower = followers.get(symbol) ?? followSymbol(deps, symbol, closing.signal);
    followers.set(symbol, follower);
    return follower;
  }

  function workOn(): void {
    for (const symbol of waiting) {
      if (closing.signal.aborted || working.size >= AT_ONCE) return;
      if (working.has(symbol)) continue;
      waiting.delete(symbol);
      const work = followerOf(symbol)
        .catchUp()
        .catch((error: unknown) => deps.logger.warn({ err: error, symbol }, 'processing packets failed; will retry'))
        .finally(() => {
          working.delete(symbol);
          workOn();
        });
      working.set(symbol, work);
    }
  }

  const wake = (symbols: readonly string[]): void => {
    for (const symbol of symbols) waiting.add(symbol);
    workOn();
  };
  return {
    wake,
    push(packet) {
      followerOf(packet.symbol).push(packet);
      wake([packet.symbol]);
    },
    async close() {
      closing.abort();
      await Promise.all(working.values());
    },
  };
}

interface SymbolFollower {
  push(packet: labeling.PacketRecord): void;
  catchUp(): Promise<void>;
}

function followSymbol(deps: EvaluatorDeps, symbol: string, closing: AbortSignal): SymbolFollower {
  let held: SymbolRules | undefined;
  let pushed: labeling.PacketRecord | undefined;

  async function load(): Promise<SymbolRules | undefined> {
    const cursor = (await readCursor(deps.pool, symbol)) ?? (await begin(deps, symbol));
    if (cursor === undefined) return undefined;
    await ensureRuleVersions(deps.pool, symbol);
    return loadSymbolRules(deps.pool, symbol, 'none yet', cursor);
  }

  async function evaluateListed(from: SymbolRules): Promise<SymbolRules> {
    let current = from;
    for (;;) {
      const { windowEndMs } = current.cursor;
      const records = await nextPackets(deps, symbol, windowEndMs);
      for (const record of records) {
        if (closing.aborted) return current;
        current = await evaluatePacket(deps, current, inputOf(record));
      }
      if (records.length < PAGE_SIZE || current.cursor.windowEndMs === windowEndMs) return current;
    }
  }

  /** Listing would read again what was pushed, so it is only done where a packet may be missing between. */
  async function visit(): Promise<void> {
    const next = pushed;
    pushed = undefined;
    const from = held ?? (await load());
    if (from === undefined) return;
    const isNext = next !== undefined && isAfter(from.cursor, next);
    held = isNext ? await evaluatePacket(deps, from, inputOf(next)) : await evaluateListed(from);
    held = await evaluateSilence(deps, held, symbol);
  }

  async function visitAgain(error: unknown): Promise<void> {
    if (!(error instanceof CursorMoved)) throw error;
    held = undefined;
    await visit();
  }

  return {
    push(packet) {
      pushed = packet;
    },
    async catchUp() {
      await withAdvisoryLock(deps.pool, LOCK_SPACE * 2 ** 16 + (crc32(symbol) >>> 0), async () => {
        try {
          await visit().catch(visitAgain);
        } catch (error) {
          held = undefined;
          if (!(error instanceof CursorMoved)) throw error;
        }
      });
    },
  };
}

function isAfter({ sequence, windowEndMs }: PacketCursor, packet: labeling.PacketRecord): boolean {
  return packet.sequence === sequence + 1 && packet.windowEndMs > windowEndMs;
}

/** A new symbol starts at its newest packet. */
async function begin(deps: EvaluatorDeps, symbol: string) {
  const { packets } = await deps.packets.call.listPackets({ ...PAGE, symbol, pageSize: 1, descending: true });
  const newest = packets[0];
  if (newest === undefined) return undefined;
  const cursor = { sequence: newest.sequence - 1, windowEndMs: newest.windowEndMs - 1, seenMs: deps.clock() };
  await beginCursor(deps.pool, symbol, cursor);
  return readCursor(deps.pool, symbol);
}

/** Returns none while labeling is unavailable, which counts as silence too. */
async function nextPackets({ packets, logger }: EvaluatorDeps, symbol: string, afterMs: number): Promise<labeling.PacketRecord[]> {
  try {
    return (await packets.call.listPackets({ ...PAGE, symbol, fromWindowEndMs: afterMs + 1 })).packets;
  } catch (error) {
    logger.warn({ err: error, symbol }, 'reading packets failed; will retry');
    return [];
  }
}
