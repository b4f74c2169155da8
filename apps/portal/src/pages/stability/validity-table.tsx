import type { Schemas } from '@market-state/client';
import { percent } from '@market-state/packet-figures';
import styles from './stability.module.css';

type Severity = Schemas['SeverityValidity'];
type Estimate = Schemas['LabelEstimate'];

const SOURCES = [
  ['Severity', 'severity'],
  ['Volatility of the last 60 s', 'last_60s'],
  ['Volatility of the last 300 s', 'last_300s'],
  ['Both', 'last_60s_and_300s'],
  ['HAR forecast', 'har'],
] as const;

/** Severity next to forecasts of the next minute's volatility that need no labels. */
export function ValidityTable({ validity }: { readonly validity: Schemas['LabelValidity'] }) {
  const severity = validity.severity_with_har ?? validity.severity;
  if (severity === null)
    return (
      <p className={styles['note']}>Fewer than 30 packets have five minutes before them and one after: too few to compare labels with.</p>
    );
  return (
    <>
      <table className={styles['table']}>
        <caption className="visually-hidden">Severity and simple forecasts against the next minute</caption>
        <thead>
          <tr>
            <th scope="col">Forecast</th>
            <th scope="col" className={styles['number']}>
              Rank correlation
            </th>
            <th scope="col" className={styles['number']}>
              Wildest tenth found
            </th>
          </tr>
        </thead>
        <tbody>
          {SOURCES.map(([name, source]) => (
            <tr key={source}>
              <th scope="row">{name}</th>
              <td data-column="Rank correlation" className={styles['number']}>
                {withInterval(severity.rank_correlations[source])}
              </td>
              <td data-column="Wildest tenth found" className={styles['number']}>
                {shareFound(severity, source)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles['note']}>{sentence(severity)}</p>
    </>
  );
}

function shareFound({ alarm_of_share: alarm }: Severity, source: (typeof SOURCES)[number][1]): string {
  const share = alarm?.[source] ?? null;
  return share === null ? 'not measured' : percent(share);
}

function sentence({ packet_total: packets, half_hour_total: halfHours, ...severity }: Severity): string {
  const given = `Given the last 60 s and 300 s, severity adds ${withInterval(severity.partial_given_last)} (0 is nothing)`;
  const few = halfHours < 10 ? '; with fewer than ten half hours, intervals are too narrow' : '';
  return `${given}. Each forecast selects 13 % of ${packets.toLocaleString('en-US')} packets in ${halfHours} half hours${few}.`;
}

function withInterval(estimate: Estimate | null): string {
  if (estimate === null) return 'not measured';
  const { value, low, high } = estimate;
  return low === null || high === null ? signed(value) : `${signed(value)} [${signed(low)}, ${signed(high)}]`;
}

function signed(value: number): string {
  return value.toFixed(2).replace('-', '−');
}
