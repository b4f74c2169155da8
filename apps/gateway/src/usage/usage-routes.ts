import { estimateUsage, type EstimateDeps } from '../routes/estimate-usage';
import { getUsageReceipt } from '../routes/get-usage-receipt';
import type { Handler } from '../routes/handler';
import { listUsage } from '../routes/list-usage';
import { simulateTiers } from '../routes/simulate-tiers';
import { getSpendControls, setSpendControls } from '../routes/spend-controls';
import type { Meter } from '../metering/meter';

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
