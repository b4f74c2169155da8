import type { labeling } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { idFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { LATENCY_BOUNDS_MS, minuteOf, takenMinutes } from '@market-state/service-figures';
import type { FigureStore } from '../figures/figure-store';
import { assertServed } from './assert-served';

const MINUTES_MAX = 10_000;
const COUNTER_ID_LENGTH_MAX = 64;

export interface RecordGatewayMinutesDeps {
  readonly figures: Pick<FigureStore, 'writeGatewayMinutes'>;
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

export async function recordGatewayMinutes(
  { figures, symbols, clock }: RecordGatewayMinutesDeps,
  { counterId, minutes }: labeling.RecordGatewayMinutesRequest,
): Promise<labeling.RecordGatewayMinutesResponse> {
  const nowMs = clock();
  refuseFaults(
    idFaults('counter_id', counterId, COUNTER_ID_LENGTH_MAX),
    rangeFaults('minutes', minutes.length, 0, MINUTES_MAX),
    minutes.slice(0, MINUTES_MAX).flatMap((minute, index) => minuteFaults(minute, `minutes.${index}`, nowMs)),
  );
  assertServed([...new Set(minutes.map(({ symbol }) => symbol))], symbols);
  await figures.writeGatewayMinutes(minutes.map((minute) => ({ ...minute, counterId })));
  return {};
}

function minuteFaults(minute: labeling.GatewayMinute, place: string, nowMs: number): Fault[] {
  const { symbol, minuteMs, packetToGateway, closingTickToGateway } = minute;
  const { fromMs, toMs } = takenMinutes(nowMs);
  return [
    ...symbolFaults(symbol, `${place}.symbol`),
    ...rangeFaults(`${place}.minute_ms`, minuteMs, fromMs, toMs),
    ...(minuteMs === minuteOf(minuteMs)
      ? []
      : [{ field: `${place}.minute_ms`, message: 'must be the start of a minute', type: 'malformed' }]),
    ...rangeFaults(`${place}.packet_to_gateway`, packetToGateway.length, 0, LATENCY_BOUNDS_MS.length),
    ...rangeFaults(`${place}.closing_tick_to_gateway`, closingTickToGateway.length, 0, LATENCY_BOUNDS_MS.length),
  ];
}
