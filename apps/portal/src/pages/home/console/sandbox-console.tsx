import { MarketState } from '@market-state/client';
import { useMemo } from 'react';
import { HeldKey } from '../../../calls/held-key';
import { type SandboxKey, useSandboxKey } from '../../../calls/use-sandbox-key';
import { Outline } from '../../../conditions/outline';
import { ProblemNotice } from '../../../conditions/problem-notice';
import { clock } from '../../../time/clock';
import { Console } from './console';

/** Most that one call of the console may cost. */
const CREDITS_MAX = 10;

/** Makes a sandbox key, shows it once and tries it. */
export default function SandboxConsole() {
  const { made, isMaking, error, make, forget } = useSandboxKey(true);
  if (error !== null) return <ProblemNotice error={error} retry={make} />;
  if (made !== null) return <KeyInHand made={made} onForget={forget} />;
  if (isMaking) return <Outline rows={3} label="Making a key" />;
  return (
    <p>
      The key is forgotten here.{' '}
      <button type="button" onClick={make}>
        Make another, free
      </button>
    </p>
  );
}

function KeyInHand({ made: { key, record, calls }, onForget }: { readonly made: SandboxKey; readonly onForget: () => void }) {
  const client = useMemo(() => new MarketState({ baseUrl: location.origin, apiKey: key, maxCreditsPerCall: CREDITS_MAX }), [key]);
  return (
    <>
      <p>
        Your key, for {calls} calls{record.expires_utc === null ? '' : ` until ${clock(Date.parse(record.expires_utc), 'minute')}`}. It
        cannot be shown again once you leave this page.
      </p>
      <HeldKey secret={key} masked={record.display} onForget={onForget} />
      <Console client={client} />
    </>
  );
}
