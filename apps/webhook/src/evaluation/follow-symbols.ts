import { crc32 } from 'node:zlib';
import type { labeling } from '@market-state/contracts';
import { withAdvisoryLock } from '@market-state/postgres';
import { beginCursor, ensureRuleVersions, readCursor } from '../store/evaluation';
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
  close(): Promise<void>;
}

export function followSymbols(deps: EvaluatorDeps): SymbolsFollower {
  const followers = new Map<string, SymbolFollower>();
  const waiting = new Set<string>();
  const working = new Map<string, Promise<void>>();
  const closing = new AbortController();

  function workOn(): void {
    for (const symbol of waiting) {
      if (closing.signal.aborted || working.size >= AT_ONCE) return;
      if (working.has(symbol)) continue;
      waiting.delete(symbol);
      const follower = followers.get(symbol) ?? followSymbol(deps, symbol, closing.signal);
      followers.set(symbol, follower);
      const work = follower
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
    async close() {
      closing.abort();
      await Promise.all(working.values());
    },
  };
}

interface SymbolFollower {
  catchUp(): Promise<void>;
}

function followSymbol(deps: EvaluatorDeps, symbol: string, closing: AbortSignal): SymbolFollower {
  let held: SymbolRules | undefined;

  async function visit(): Promise<void> {
    const cursor = (await readCursor(deps.pool, symbol)) ?? (await begin(deps, symbol));
    if (cursor === undefined) return;
    if (held === undefined || held.cursor.sequence !== cursor.sequence) held = await loadSymbolRules(deps.pool, symbol, 'none yet', cursor);
    for (;;) {
      const { windowEndMs } = held.cursor;
      const records = await nextPackets(deps, symbol, windowEndMs);
      for (const record of records) {
        if (closing.aborted) return;
        held = await evaluatePacket(deps, held, inputOf(record));
      }
      if (records.length < PAGE_SIZE || held.cursor.windowEndMs === windowEndMs) break;
    }
    held = await evaluateSilence(deps, held, symbol);
  }

  return {
    async catchUp() {
      await withAdvisoryLock(deps.pool, LOCK_SPACE * 2 ** 16 + (crc32(symbol) >>> 0), async () => {
        try {
          await visit();
        } catch (error) {
          held = undefined;
          if (!(error instanceof CursorMoved)) throw error;
        }
      });
    },
  };
}

/** A new symbol starts at its newest packet. */
async function begin(deps: EvaluatorDeps, symbol: string) {
  const { packets } = await deps.packets.call.listPackets({ ...PAGE, symbol, pageSize: 1, descending: true });
  const newest = packets[0];
  if (newest === undefined) return undefined;
  const cursor = { sequence: newest.sequence - 1, windowEndMs: newest.windowEndMs - 1, seenMs: deps.clock() };
  await ensureRuleVersions(deps.pool, symbol);
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
