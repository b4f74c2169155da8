import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { minuteOf, takenMinutes } from '@market-state/service-figures';
import type { Pool } from 'pg';
import { writeReadMinutes } from '../../store/read-figures';

/** What the calls of this service need. */
export interface ReadFiguresDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

const MINUTES_MAX = 1_000;
const COUNTER_ID_LENGTH_MAX = 64;
const CLASSES = ['metered', 'account', 'public', 'static'];

export async function recordReadMinutes(
  { pool, clock }: ReadFiguresDeps,
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
  const { fromMs, toMs } = takenMinutes(nowMs);
  return [
    ...rangeFaults(`${place}.minute_ms`, minuteMs, fromMs, toMs),
    ...(minuteMs === minuteOf(minuteMs)
      ? []
      : [{ field: `${place}.minute_ms`, message: 'must be the start of a minute', type: 'malformed' }]),
    ...(CLASSES.includes(rateClass)
      ? []
      : [{ field: `${place}.rate_class`, message: `must be of ${CLASSES.join(', ')}`, type: 'unknown_value' }]),
  ];
}
