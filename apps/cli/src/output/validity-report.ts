import type { Estimate, SeverityValidity, StateLift, Validity } from '@market-state/report';
import { counted } from '../io/instant';
import { wholeTable } from '../io/table';

const SOURCES = ['severity', 'last 60 s', 'last 300 s', '60 s + 300 s', 'HAR'] as const;

/** Readable tables of the validity of one symbol's labels. */
export function validityReport(title: string, validity: Validity): readonly string[] {
  const { severity, severityWithHar, states, firstHalfHour } = validity;
  return [
    `Validity of ${title}`,
    ...severityReport('Severity against the volatility of the next 60 s', severity),
    ...severityReport('The same on packets with a HAR forecast (1,800 s of unbroken log before them)', severityWithHar),
    ...stateReport(states),
    '',
    `First half hour: ${counted(firstHalfHour.packets, 'live packet')}, ${percent(firstHalfHour.highShare)} high or critical`,
  ];
}

function severityReport(title: string, severity: SeverityValidity | null): readonly string[] {
  if (severity === null) return ['', `${title}: fewer than 30 packets`];
  const { correlations, alarmOfClasses, alarmOfShare } = severity;
  const bySource = <T>(
    values: { severity: T; lastMinute: T; lastFiveMinutes: T; blend: T; har: T | null } | null,
  ): readonly (T | null)[] =>
    values === null ? SOURCES.map(() => null) : [values.severity, values.lastMinute, values.lastFiveMinutes, values.blend, values.har];
  const rows: (readonly string[])[] = [
    ['rank correlation', ...bySource(correlations).map(correlation)],
    ['severity given 60 s and 300 s', correlation(severity.partialGivenTrailing)],
    ['severity given HAR', correlation(severity.partialGivenHar)],
    [`alarm, high and critical (${alarmOfClasses?.packets ?? 0})`, ...bySource(alarmOfClasses).map(share)],
    [`alarm, highest 13 % (${alarmOfShare?.packets ?? 0})`, ...bySource(alarmOfShare).map(share)],
  ];
  return [
    '',
    `${title}: ${counted(severity.packets, 'packet')} in ${counted(severity.halfHours, 'half hour')}`,
    ...wholeTable(['', ...SOURCES], rows),
  ];
}

function stateReport(states: readonly StateLift[]): readonly string[] {
  if (states.length === 0) return [];
  const titles = ['state', 'outcome', 'claims', 'packets', 'given last', 'given last and longer', 'verdict'];
  const rows = states.map(({ state, outcome, claims, packets, givenLast, givenBlend, verdict }) => [
    state,
    words(outcome ?? ''),
    claims ?? '–',
    String(packets),
    points(givenLast),
    points(givenBlend),
    words(verdict),
  ]);
  return ['', 'States on what they claim: lift in rank points of 100 over packets with an equal baseline', ...wholeTable(titles, rows)];
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function correlation(estimate: Estimate | null): string {
  return withInterval(estimate, (value) => signed(value, 2));
}

function points(estimate: Estimate | null): string {
  return withInterval(estimate, (value) => signed(value, 1, '+'));
}

function signed(value: number, decimals: number, plus = ''): string {
  const digits = Math.abs(value).toFixed(decimals);
  return Number(digits) === 0 ? digits : `${value < 0 ? '−' : plus}${digits}`;
}

function withInterval(estimate: Estimate | null, text: (value: number) => string): string {
  if (estimate === null) return '–';
  const { value, low, high } = estimate;
  return low === null || high === null ? text(value) : `${text(value)} [${text(low)}, ${text(high)}]`;
}

function share(value: number | null): string {
  return value?.toFixed(2) ?? '–';
}

function percent(value: number | null): string {
  return value === null ? '–' : `${Math.round(100 * value)} %`;
}
