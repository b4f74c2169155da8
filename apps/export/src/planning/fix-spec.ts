import { failedPrecondition, invalidArgument, unknownSymbol } from '@market-state/errors';
import { exportFaults } from '@market-state/export-schema';
import { INSTANT_MS_MAX, refuseFaults } from '@market-state/request-checks';
import type { ExportSpec } from '../jobs/spec';
import type { Upstreams } from '../upstreams';
import type { AskedSpec } from './resolve-spec';

const DAY_MS = 86_400_000;

/**
 * A spec with everything resolved: its symbols are served, and it ends with what is recorded of each of them now, a day after its start
 * where that was left open.
 * @throws ServiceError NOT_FOUND `unknown_symbol`; FAILED_PRECONDITION `nothing_recorded` when nothing is of its symbols;
 * INVALID_ARGUMENT when it begins after what is recorded
 */
export async function fixSpec({ marketData }: Pick<Upstreams, 'marketData'>, asked: AskedSpec): Promise<ExportSpec> {
  const { instruments } = await marketData.call.listInstruments({});
  const served = instruments.map(({ symbol }) => symbol);
  const symbols = asked.symbols.length > 0 ? asked.symbols : served.slice(0, 1);
  for (const symbol of symbols) if (!served.includes(symbol)) throw unknownSymbol(symbol, served);
  const recorded = await Promise.all(symbols.map((symbol) => recordedUntil({ marketData }, symbol)));
  const asOfMs = Math.min(...recorded);
  if (asOfMs === 0) throw failedPrecondition('nothing_recorded', 'Nothing is recorded yet of the symbols asked for.');
  const toMs = Math.min(asked.toMs || asOfMs + 1, asOfMs + 1);
  const fromMs = asked.fromMs || Math.max(1, toMs - DAY_MS);
  if (fromMs > asOfMs) {
    const message = `must not be after ${new Date(asOfMs).toISOString()}, the last instant recorded`;
    throw invalidArgument([{ field: 'spec.from_ms', message, type: 'in_the_future' }]);
  }
  // An end that was left open is known only now.
  refuseFaults(
    exportFaults({ dataset: asked.dataset, format: asked.format, fromMs, toMs }).map(({ message, type }) => ({
      field: 'spec.from_ms',
      message,
      type,
    })),
  );
  return { ...asked, symbols, asOfMs, fromMs, toMs };
}

/** The last instant up to which everything received of a symbol is recorded. */
async function recordedUntil({ marketData }: Pick<Upstreams, 'marketData'>, symbol: string): Promise<number> {
  const { asOfMs } = await marketData.call.listGaps({ symbol, fromMs: 0, toMs: 0, pageSize: 1, pageToken: '', asOfMs: INSTANT_MS_MAX });
  return asOfMs;
}
