import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { instantFaults, symbolFaults } from '@market-state/request-checks';
import type { EventIndex } from '../events/event-index';
import { assertServed } from './assert-served';
import { givenOrNull, spanFaults } from './span-request';

export interface PlanPacketSpanDeps {
  readonly events: Pick<EventIndex, 'hours'>;
  readonly symbols: readonly string[];
}

const SPAN_MS_MAX = 31 * 86_400_000;

export async function planPacketSpan(
  { events, symbols }: PlanPacketSpanDeps,
  request: labeling.PlanPacketSpanRequest,
): Promise<labeling.PlanPacketSpanResponse> {
  const { symbol, fromWindowEndMs, toWindowEndMs, asOfMs } = request;
  const faults = [...symbolFaults(symbol), ...wholeSpanFaults(request), ...instantFaults('as_of_ms', asOfMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  const { hours, keptFromMs } = await events.hours({ symbol, fromMs: fromWindowEndMs, toMs: toWindowEndMs, asOfMs: givenOrNull(asOfMs) });
  return {
    hours: hours.map(({ hourMs, rowTotal, file }) => ({
      hourMs,
      rowTotal,
      file: file === undefined ? undefined : { objectKey: file.key, sha256: file.sha256, bytes: file.bytes },
    })),
    keptFromMs: keptFromMs ?? 0,
  };
}

/** Both ends are there, and at most 31 days apart. */
function wholeSpanFaults(request: labeling.PlanPacketSpanRequest): Fault[] {
  const { fromWindowEndMs, toWindowEndMs } = request;
  const faults = spanFaults(request);
  if (faults.length > 0) return faults;
  if (toWindowEndMs > fromWindowEndMs && toWindowEndMs - fromWindowEndMs <= SPAN_MS_MAX) return [];
  return [{ field: 'to_window_end_ms', message: 'must lie after from_window_end_ms, at most 31 days', type: 'out_of_range' }];
}
