import { counted, words } from '@market-state/packet-figures';
import { Light, type LightState } from '../../status-components/light';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import type { ProofBrowser } from './proof-page-queries';
import styles from './proof.module.css';

type Step = ProofBrowser['rows'][number];

const EVIDENCE: Readonly<Record<string, readonly [light: LightState, word: string]>> = {
  ready: ['fresh', 'evidence available'],
  preview: ['waiting', 'delayed preview'],
  held: ['stale', 'not public'],
};

export function ProofSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={styles['steps']}>
      {steps.map((step) => (
        <li key={step.browser_step_id} className={sheet['panel']}>
          <ProofStep step={step} />
        </li>
      ))}
    </ol>
  );
}

function ProofStep({ step }: { readonly step: Step }) {
  const { row_order: order, customer_question: question, client_answer: answer, evidence_state: state, proof_points: points } = step;
  const [light, word] = EVIDENCE[state] ?? (['off', words(state)] as const);
  const before = step.route_access.filter(({ access }) => access === 'pre_key');
  const after = step.route_access.filter(({ access }) => access !== 'pre_key');
  return (
    <>
      <div className={styles['head']}>
        <h3>
          {order}. {question}
        </h3>
        <Light state={light} word={word} />
      </div>
      <p>{answer}</p>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <dl className={styles['metrics']}>
        {Object.entries(step.metrics).map(([name, value]) => (
          <div key={name}>
            <dt>{metricName(name)}</dt>
            <dd>{metricWords(name, value)}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>
          Check it: {counted(before.length, 'route')} without a key, {after.length} with a key
        </summary>
        <Routes title="Without a key" routes={before} />
        <Routes title="With a key" routes={after} />
      </details>
    </>
  );
}

/** `gap_flagged_packet_total` becomes `gap flagged packets`. */
function metricName(name: string): string {
  const text = words(name.replace(/_(?:total|utc)$/, ''));
  return name.endsWith('_total') ? `${text.replace(/y$/, /[aeo]y$/.test(text) ? 'y' : 'ie')}s` : text;
}

function metricWords(name: string, value: string | number | null): string {
  if (value === null) return 'not reported';
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
  return name.endsWith('_utc') ? clock(Date.parse(value)) : words(value);
}

function Routes({ title, routes }: { readonly title: string; readonly routes: Step['route_access'] }) {
  if (routes.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className={styles['routes']}>
        {routes.map(({ method, route, purpose, access }) => (
          <li key={`${method} ${route}`}>
            {purpose}{' '}
            {access === 'pre_key' && method === 'GET' ? (
              <a href={route}>
                <code>{route}</code>
              </a>
            ) : (
              <code>
                {method} {route}
              </code>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
