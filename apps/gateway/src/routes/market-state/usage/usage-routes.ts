import { estimateUsage, type EstimateDeps } from '../estimate-usage';
import { getUsageReceipt } from '../get-usage-receipt';
import type { Handler } from '../../../serving/handlers/handler';
import { listUsage } from '../list-usage';
import { simulateTiers } from '../simulate-tiers';
import { getSpendControls, setSpendControls } from '../../account/spend-controls';
import type { Meter } from '../../../serving/metering/meter';

export interface UsageRouteDeps extends EstimateDeps {
  readonly meter: Pick<Meter, 'unused' | 'posted' | 'giveBack'>;
}

/** Handlers of the routes on credits, by operation id. */
export function usageRoutes(deps: UsageRouteDeps): Readonly<Record<string, Handler>> {
  return {
    listUsage: listUsage(deps, deps.meter, deps.now),
    estimateUsage: estimateUsage(deps),
    getUsageReceipt: getUsageReceipt(deps, deps.meter),
    simulateTiers: simulateTiers(),
    getSpendControls: getSpendControls(deps),
    setSpendControls: setSpendControls(deps, deps.meter),
  };
}
