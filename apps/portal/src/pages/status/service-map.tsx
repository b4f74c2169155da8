import { Light } from '../../conditions/light';
import type { Part, Stage } from './parts';
import styles from './status.module.css';

/** Which part hands on to which, and whether each of them works. */
export function ServiceMap({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <ol className={styles['map']} aria-label="Parts of the service, in the order in which events pass them">
      {stages.map(({ title, parts }) => (
        <li key={title}>
          <h3>{title}</h3>
          <ul>
            {parts.map((part) => (
              <li key={part.name} data-works={part.works}>
                <PartCard part={part} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function PartCard({ part: { name, task, works, latencyMs, detail } }: { readonly part: Part }) {
  return (
    <>
      <p className={styles['part']}>
        <b>{name}</b>
        <Light state={works === null ? 'off' : works ? 'fresh' : 'stale'} word={works === null ? 'unknown' : works ? 'works' : 'fault'} />
      </p>
      <p className={styles['soft']}>{detail === '' ? task : detail}</p>
      {latencyMs === null ? null : <p className={styles['soft']}>answers in {milliseconds(latencyMs)}</p>}
    </>
  );
}

function milliseconds(ms: number): string {
  return ms < 1 ? 'under 1 ms' : `${Math.round(ms).toLocaleString('en-US')} ms`;
}
