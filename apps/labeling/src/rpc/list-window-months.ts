import type { labeling } from '@market-state/contracts';
import { rangeFaults } from '@market-state/request-checks';
import { monthOf, monthsOf } from '@market-state/service-figures';
import { windowMonths } from '../figures/window-months';
import { countedFromMs, type FigureRpcDeps, readFigureRequest } from './figure-request';

const MONTHS_MAX = 24;

export async function listWindowMonths(
  deps: FigureRpcDeps,
  request: labeling.ListWindowMonthsRequest,
): Promise<labeling.ListWindowMonthsResponse> {
  const faults = rangeFaults('months', monthsOf(request.fromMs, request.toMs).length, 1, MONTHS_MAX);
  const { span, since, settledToMs } = await readFigureRequest(deps, request, faults);
  const whole = { ...span, fromMs: monthOf(span.fromMs) };
  const months = windowMonths(whole, await deps.figures.totals(whole), since);
  return { months: months.map((month) => ({ ...month })), settledToMs, countedFromMs: countedFromMs(span.symbols, since) };
}
