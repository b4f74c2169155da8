import { counted } from '@market-state/packet-figures';
import { serviceLeadMs, useNowMs } from '../service/clock';
import { useMetering } from '../service/meter';
import { useSession } from '../service/session';
import { bareClock, zoneName } from '../time/clock';
import styles from './shell.module.css';

const whole = (credits: number): string => Math.round(credits).toLocaleString('en-US');

/** What always stands at the bottom: the clock, and what this page costs. */
export function StatusBar() {
  const nowMs = useNowMs();
  const { data: session } = useSession({ enabled: false });
  const balance = session?.balances.find(({ credit_kind: kind }) => kind === 'market_state');
  return (
    <footer className={styles['status']}>
      <span>
        <b>{bareClock(nowMs, 'time')}</b> {zoneName(nowMs)}
      </span>
      <Skew />
      {session === undefined ? null : <Cost plan={session.plan?.tier ?? ''} available={balance?.available ?? null} />}
    </footer>
  );
}

/** What this page costs an hour, what the tab has cost, and what is left. */
function Cost({ plan, available }: { readonly plan: string; readonly available: number | null }) {
  const { spent, remaining, perHour } = useMetering();
  const left = remaining ?? available;
  return (
    <>
      <span className={styles['push']} title="What the open streams and repeated reads of this page cost at most">
        <span className={styles['wide']}>this page </span>
        <b>{whole(perHour)}</b> credits/h
      </span>
      <span title="Charged since this tab was opened">
        spent <b>{whole(spent)}</b>
      </span>
      {left === null ? null : (
        <span title={`${counted(left, 'credit')} of the ${plan} plan`}>
          left <b>{whole(left)}</b>
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
