import { type CreditsLeft, creditsLeft } from './credits-left';
import { useMetering } from './meter';
import { useSession } from './session';

/** Both kinds of credit; undefined until known and when logged out. */
export function useCredits(): readonly CreditsLeft[] | undefined {
  const { data } = useSession();
  const { spentSinceBalances } = useMetering();
  return data?.balances.map((balance) => creditsLeft(balance, spentSinceBalances));
}
