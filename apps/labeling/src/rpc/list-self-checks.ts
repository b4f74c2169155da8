import type { labeling } from '@market-state/contracts';
import { instantFaults, refuseFaults } from '@market-state/request-checks';
import type { SelfChecks } from '../verify/self-check';
import { givenOrNull } from './span-request';
import { toProtoOutcome } from './wire';

export interface ListSelfChecksDeps {
  readonly selfChecks: Pick<SelfChecks, 'list'>;
}

export async function listSelfChecks(
  { selfChecks }: ListSelfChecksDeps,
  { asOfMs }: labeling.ListSelfChecksRequest,
): Promise<labeling.ListSelfChecksResponse> {
  refuseFaults(instantFaults('as_of_ms', asOfMs));
  return {
    selfChecks: selfChecks.list(givenOrNull(asOfMs)).map(({ comparison, ...check }) => ({ ...check, ...toProtoOutcome(comparison) })),
  };
}
