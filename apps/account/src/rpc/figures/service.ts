import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { listIncidents } from './list-incidents';
import { listReadMonths } from './list-read-months';
import { type ReadFiguresDeps, recordReadMinutes } from './record-read-minutes';

export function bindReadFiguresService(deps: ReadFiguresDeps): BoundService {
  return bindService(
    account.ReadFiguresServiceService,
    withDeps(deps, { recordReadMinutes, listReadMonths, listIncidents }),
    orUnavailable,
  );
}
