import { isServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { Counter, type Registry } from 'prom-client';
import type { StoredPacket } from '../packets/packet';
import type { PacketReader } from '../packets/packet-reader';
import type { Comparison, Verify } from './verification';

/** Limits of the time since the window of a checked packet ended, milliseconds: an hour, and time for its rows to be stored. */
const AGE_MS_MIN = 60_000;
const AGE_MS_MAX = 3_600_000;
/** Checks kept for each symbol: 20 minutes of one each 30 s. */
const CHECKS_MAX = 40;
const OUTCOMES: readonly Comparison['outcome'][] = ['match', 'mismatch', 'cannot'];

/** One check of a retained packet. */
export interface SelfCheck {
  readonly symbol: string;
  readonly eventId: string;
  readonly windowEndMs: number;
  /** Wall clock at its end, milliseconds since the epoch. */
  readonly checkedTsMs: number;
  readonly comparison: Comparison;
}

interface SelfCheckDeps {
  readonly reader: Pick<PacketReader, 'list'>;
  readonly verify: Verify;
  readonly clock: () => number;
  /** From 0 to less than 1. */
  readonly random: () => number;
  readonly logger: Pick<Logger, 'error'>;
  readonly registry: Registry;
}

export interface SelfChecks {
  /**
   * Verifies one packet of the next symbol. Does nothing if the symbol has no packet of that time, or while verification is overloaded or
   * the data plane is away. Rejects when the packet cannot be read or verified for another reason.
   */
  runNext(signal: AbortSignal): Promise<void>;
  /** The check that counts for each symbol that has one; with `asOfMs`, among checks made up to that instant. */
  list(asOfMs: number | null): SelfCheck[];
}

/** Verifies retained packets of the last hour, chosen at random, one symbol after another. */
export function createSelfChecks(symbols: readonly string[], deps: SelfCheckDeps): SelfChecks {
  const { reader, verify, clock, random, logger, registry } = deps;
  const total = new Counter({
    name: 'labeling_self_checks_total',
    help: "Retained packets that the service's own check made again, by outcome.",
    labelNames: ['symbol', 'outcome'],
    registers: [registry],
  });
  // An increase is seen only of series that are there before it.
  for (const symbol of symbols) for (const outcome of OUTCOMES) total.inc({ symbol, outcome }, 0);
  const made = new Map<string, SelfCheck[]>();
  let rounds = 0;

  async function choosePacket(symbol: string): Promise<StoredPacket | undefined> {
    const nowMs = clock();
    const fromMs = nowMs - AGE_MS_MAX + Math.floor(random() * (AGE_MS_MAX - AGE_MS_MIN));
    const [packet] = await reader.list({ symbol, fromMs, toMs: nowMs - AGE_MS_MIN + 1, asOfMs: null, newestFirst: false }, 1);
    return packet;
  }

  function record(check: SelfCheck): void {
    const { symbol, eventId, windowEndMs, comparison } = check;
    total.inc({ symbol, outcome: comparison.outcome });
    const checks = [...(made.get(symbol) ?? []), check];
    const dropped = checks.splice(0, checks.length - CHECKS_MAX + 1);
    made.set(symbol, dropped.length === 0 ? checks : [dropped.reduce(current), ...checks]);
    if (comparison.outcome !== 'mismatch') return;
    const { fields, places } = comparison;
    logger.error(
      { symbol, event_id: eventId, window_end_ms: windowEndMs, different_fields: fields, different_places: places },
      'self-check: a retained packet differs from the one made again',
    );
  }

  return {
    async runNext(signal) {
      const symbol = symbols[rounds % symbols.length];
      rounds += 1;
      const packet = symbol === undefined ? undefined : await choosePacket(symbol);
      if (packet === undefined) return;
      try {
        const { comparison } = await verify(packet, signal);
        record({ symbol: packet.symbol, eventId: packet.eventId, windowEndMs: packet.windowEndMs, checkedTsMs: clock(), comparison });
      } catch (error) {
        if (!signal.aborted && !isAway(error)) throw error;
      }
    },
    list: (asOfMs) =>
      [...made.values()].flatMap((checks) => {
        const [first, ...later] = checks.filter(({ checkedTsMs }) => asOfMs === null || checkedTsMs <= asOfMs);
        return first === undefined ? [] : [later.reduce(current, first)];
      }),
  };
}

/** A mismatch stays until a packet of its window or of a later one is compared again. */
function current(before: SelfCheck, next: SelfCheck): SelfCheck {
  if (before.comparison.outcome !== 'mismatch') return next;
  return next.comparison.outcome !== 'cannot' && next.windowEndMs >= before.windowEndMs ? next : before;
}

function isAway(error: unknown): boolean {
  return isServiceError(error) && (error.code === 'UNAVAILABLE' || error.reason === 'upstream_unavailable');
}
