import { isServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { Counter, type Registry } from 'prom-client';
import type { StoredPacket, PacketReader } from '../packets/packet';
import type { Comparison, Verify } from './verification';

/** Age limits of checked packets: an hour at most, and enough time for rows to be stored. */
const AGE_MS_MIN = 60_000;
const AGE_MS_MAX = 3_600_000;
/** Checks retained per symbol: 20 minutes at one every 30 s. */
const CHECKS_MAX = 40;
const OUTCOMES: readonly Comparison['outcome'][] = ['match', 'mismatch', 'cannot'];

export interface SelfCheck {
  readonly symbol: string;
  readonly eventId: string;
  readonly windowEndMs: number;
  readonly checkedTsMs: number;
  readonly comparison: Comparison;
}

interface SelfCheckDeps {
  readonly reader: Pick<PacketReader, 'list'>;
  readonly verify: Verify;
  readonly clock: () => number;
  readonly random: () => number;
  readonly logger: Pick<Logger, 'error'>;
  readonly registry: Registry;
}

export interface SelfChecks {
  /**
   * Verifies one packet of the next symbol. Does nothing without a packet of that age, or while verification is
   * overloaded or the data plane is unavailable. Rejects on other failures.
   */
  runNext(signal: AbortSignal): Promise<void>;
  list(asOfMs: number | null): SelfCheck[];
}

export function createSelfChecks(symbols: readonly string[], deps: SelfCheckDeps): SelfChecks {
  const { reader, verify, clock, random, logger, registry } = deps;
  const total = new Counter({
    name: 'labeling_self_checks_total',
    help: 'Retained packets recomputed by the self-check, by outcome.',
    labelNames: ['symbol', 'outcome'],
    registers: [registry],
  });
  // Prometheus detects an increase only in existing series.
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
      'self-check: a retained packet differs from its recomputation',
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

/** A mismatch stays until a packet of the same or a later window is compared. */
function current(before: SelfCheck, next: SelfCheck): SelfCheck {
  if (before.comparison.outcome !== 'mismatch') return next;
  return next.comparison.outcome !== 'cannot' && next.windowEndMs >= before.windowEndMs ? next : before;
}

function isAway(error: unknown): boolean {
  return isServiceError(error) && (error.code === 'UNAVAILABLE' || error.reason === 'upstream_unavailable');
}
