import type { ScoreReading } from '@market-state/packet-figures';
import { BulletBar, ContestBar } from '../charts/bars';
import styles from './drivers.module.css';
import { COMPOSITE_NAMES, stateLabel } from './words';

interface Trace {
  readonly composites?: Readonly<Record<string, ScoreReading>>;
  readonly winner_state: string;
  readonly runner_up_state?: string;
  readonly state_margin?: number;
}

export function Drivers({ trace }: { readonly trace: Trace }) {
  const { winner_state: winner, runner_up_state: runnerUp, state_margin: margin } = trace;
  return (
    <dl className={styles['drivers']}>
      {COMPOSITE_NAMES.map(([name, title]) => {
        const reading = trace.composites?.[name];
        return reading === undefined ? null : (
          <div key={name}>
            <dt>{title}</dt>
            <dd>
              <BulletBar reading={reading} name={title} />
            </dd>
          </div>
        );
      })}
      {runnerUp === undefined || margin === undefined ? null : (
        <div>
          <dt>Winner ahead by</dt>
          <dd>
            <ContestBar winner={winner} runnerUp={runnerUp} labels={[stateLabel(winner), stateLabel(runnerUp)]} margin={margin} />
          </dd>
        </div>
      )}
    </dl>
  );
}
