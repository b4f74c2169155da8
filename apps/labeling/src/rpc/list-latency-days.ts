import type { labeling } from '@market-state/contracts';
import { rangeFaults } from '@market-state/request-checks';
import { DAY_MS, dayOf } from '@market-state/service-figures';
import { latencyDays, type LatencyStage } from '../figures/latency-days';
import { countedFromMs, type FigureRpcDeps, readFigureRequest } from './figure-request';

const DAYS_MAX = 31;

export async function listLatencyDays(
  deps: FigureRpcDeps,
  request: labeling.ListLatencyDaysRequest,
): Promise<labeling.ListLatencyDaysResponse> {
  const days = (dayOf(request.toMs - 1) - dayOf(request.fromMs)) / DAY_MS + 1;
  const { span, since, settledToMs } = await readFigureRequest(deps, request, rangeFaults('days', days, 1, DAYS_MAX));
  const whole = { ...span, fromMs: dayOf(span.fromMs) };
  const found = latencyDays(whole, await deps.figures.days(whole), since);
  return {
    days: found.map(({ closingTickToPacket, packetToGateway, closingTickToGateway, ...day }) => ({
      ...day,
      closingTickToPacket: toProtoStage(closingTickToPacket),
      packetToGateway: toProtoStage(packetToGateway),
      closingTickToGateway: toProtoStage(closingTickToGateway),
    })),
    settledToMs,
    countedFromMs: countedFromMs(span.symbols, since),
  };
}

function toProtoStage(stage: LatencyStage): labeling.LatencyStage {
  return { ...stage };
}
