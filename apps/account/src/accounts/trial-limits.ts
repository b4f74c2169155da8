import type { AccountLimits } from './limits';
import { limitedSubject, type LimitedSubject, networkSubjects } from './take-attempt';

/** What a trial from this address counts for: the address, and all trials together. */
export function trialSubjects(limits: AccountLimits, network: string): LimitedSubject[] {
  return [...networkSubjects('trial', network, [limits.trial]), limitedSubject('trial_total', '', [limits.trialTotal])];
}
