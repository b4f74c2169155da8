import { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { orUnavailable } from '@market-state/postgres';
import { refuseFaults, optionalSpanFaults, rangeFaults, idFaults } from '@market-state/request-checks';
import {
  DAY_MS,
  failureIncidents,
  FIGURES_KEPT_MS,
  incidentPage,
  MINUTE_MS,
  minuteOf,
  settledToMs,
  monthOf,
  monthsOf,
  countedMinutes,
} from '@market-state/service-figures';
import { listFailedMinutes, listReadDays, type ReadDay, readsCountedSince, writeReadMinutes } from '../store/read-statistics';
import type { AccountDeps } from '../deps';

type ReadStatisticsDeps = Pick<AccountDeps, 'pool' | 'clock'>;

const MINUTES_MAX = 1_000;

const COUNTER_ID_LENGTH_MAX = 64;

const CLASSES = ['metered', 'account', 'public', 'static'];

async function recordReadMinutes(
  { pool, clock }: ReadStatisticsDeps,
  { counterId, minutes }: account.RecordReadMinutesRequest,
): Promise<account.RecordReadMinutesResponse> {
  const nowMs = clock();
  refuseFaults(
    idFaults('counter_id', counterId, COUNTER_ID_LENGTH_MAX),
    rangeFaults('minutes', minutes.length, 0, MINUTES_MAX),
    minutes.slice(0, MINUTES_MAX).flatMap((minute, index) => minuteFaults(minute, `minutes.${index}`, nowMs)),
  );
  await writeReadMinutes(
    pool,
    minutes.map(({ sinceMs, ...minute }) => ({ ...minute, counterId, sinceMs: sinceMs ?? null })),
  );
  return {};
}

function minuteFaults({ minuteMs, rateClass }: account.ReadMinute, place: string, nowMs: number): Fault[] {
  const { fromMs, toMs } = countedMinutes(nowMs);
  return [
    ...rangeFaults(`${place}.minute_ms`, minuteMs, fromMs, toMs),
    ...(minuteMs === minuteOf(minuteMs)
      ? []
      : [{ field: `${place}.minute_ms`, message: 'must be the start of a minute', type: 'malformed' }]),
    ...(CLASSES.includes(rateClass)
      ? []
      : [{ field: `${place}.rate_class`, message: `must be one of ${CLASSES.join(', ')}`, type: 'unknown_value' }]),
  ];
}

const MONTHS_MAX = 24;

async function listReadMonths(
  { pool, clock }: ReadStatisticsDeps,
  { fromMs, toMs }: account.ListReadMonthsRequest,
): Promise<account.ListReadMonthsResponse> {
  refuseFaults(
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    rangeFaults('months', monthsOf(fromMs, toMs).length, 1, MONTHS_MAX),
  );
  const settledMs = settledToMs(clock());
  const [firstMs, endMs] = [monthOf(fromMs), minuteOf(Math.min(settledMs, toMs))];
  const [days, sinceMs] = await Promise.all([listReadDays(pool, firstMs, endMs), readsCountedSince(pool)]);
  return { months: readMonths(firstMs, endMs, days, sinceMs), settledToMs: settledMs, countedFromMs: sinceMs ?? 0 };
}

/**
 * Months of [fromMs, toMs) with counts, in whole minutes, oldest first.
 * @param sinceMs start of counting; null: not counted
 */
function readMonths(fromMs: number, toMs: number, days: readonly ReadDay[], sinceMs: number | null): account.ReadMonth[] {
  if (sinceMs === null) return [];
  return monthsOf(fromMs, toMs).flatMap((monthMs, index, months) => {
    const endMs = Math.min(months[index + 1] ?? toMs, toMs);
    const startMs = Math.max(monthMs, minuteOf(sinceMs));
    if (startMs >= endMs) return [];
    const own = days.filter(({ dayMs }) => monthOf(dayMs) === monthMs && dayMs > startMs - DAY_MS);
    const sum = (of: (day: ReadDay) => number): number => own.reduce((total, day) => total + of(day), 0);
    return [
      {
        monthMs,
        answeredTotal: sum(({ answered }) => answered),
        failedTotal: sum(({ failed }) => failed),
        minutesWithoutFigures: Math.max(0, (endMs - startMs) / MINUTE_MS - sum(({ minutes }) => minutes)),
      },
    ];
  });
}

async function listIncidents(
  { pool, clock }: ReadStatisticsDeps,
  { filter }: account.ListIncidentsRequest,
): Promise<account.ListIncidentsResponse> {
  const nowMs = clock();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  const toMs = settledToMs(nowMs);
  const failed = await listFailedMinutes(pool, minuteOf(nowMs - FIGURES_KEPT_MS), toMs);
  return { incidents: incidentPage(failureIncidents(failed, toMs), wanted).map(toProtoIncident) };
}

export function bindReadFiguresService(deps: ReadStatisticsDeps): BoundService {
  return bindService(
    account.ReadFiguresServiceService,
    withDeps(deps, { recordReadMinutes, listReadMonths, listIncidents }),
    orUnavailable('account'),
  );
}
