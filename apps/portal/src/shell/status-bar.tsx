import { counted } from '@market-state/packet-figures';
import { serviceLeadMs, useNowMs } from '../service/clock';
import { useCredits } from '../service/credits';
import { useMetering } from '../service/meter';
import { useSession } from '../service/session';
import { bareClock, zoneName } from '../time/clock';
import styles from './shell.module.css';

const whole = (credits: number): string => Math.round(credits).toLocaleString('en-US');

/** What always stands at the bottom: the clock, and what this page costs. */
export function StatusBar() {
  const nowMs = useNowMs();
  const { data: session } = useSession();
  return (
    <footer className={styles['status']}>
      <span>
        <b>{bareClock(nowMs, 'time')}</b> {zoneName(nowMs)}
      </span>
      <Skew />
      {session === undefined ? null : <Cost plan={session.plan?.tier ?? ''} />}
    </footer>
  );
}

/** Cost of this page until now and an hour, cost of the tab, and credits left. */
function Cost({ plan }: { readonly plan: string }) {
  const { spent, spentOnPage, perHour } = useMetering();
  const credits = useCredits()?.find(({ kind }) => kind === 'market_state');
  return (
    <>
      <span className={styles['push']} title="Charged since this page was opened">
        <span className={styles['wide']}>this page </span>
        <b>{whole(spentOnPage)}</b> credits
      </span>
      <span title="Maximum cost of this page's open streams and repeated reads">
        <b>{whole(perHour)}</b> credits/h
      </span>
      <span title="Charged since this tab was opened">
        spent <b>{whole(spent)}</b>
      </span>
      {credits === undefined ? null : (
        <span
          title={`${counted(credits.left, 'credit')} of the ${plan} plan, ${whole(credits.reservedForCalls)} of them reserved for calls`}
        >
          left <b>{whole(credits.left)}</b>
        </span>
      )}
    </>
  );
}

/** Seconds from which on a clock is called wrong: data are up to some seconds old in any case. */
const SKEW_MS = 5_000;

function Skew() {
  const lead = serviceLeadMs();
  if (lead === null || lead < SKEW_MS) return null;
  return <span className={styles['skew']}>this clock is {Math.round(lead / 1_000)} s behind the service</span>;
}
