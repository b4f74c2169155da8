import { type Fault, invalidArgument } from '@market-state/errors';

/** @throws ServiceError INVALID_ARGUMENT with every fault found, if any was */
export function refuseFaults(...found: readonly (readonly Fault[])[]): void {
  const faults = found.flat();
  if (faults.length > 0) throw invalidArgument(faults);
}
