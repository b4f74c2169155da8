import { type STATE_STYLES, words } from '@market-state/packet-figures';

/** Fallback labels; a packet's own label takes precedence. */
const LABELS: Readonly<Record<keyof typeof STATE_STYLES | 'insufficient_evidence' | 'replay_context_ready', string>> = {
  pressure_building: 'Pressure building',
  depth_watch: 'Depth watch',
  flow_shift_watch: 'Flow shift watch',
  fragile_depth_watch: 'Fragile depth watch',
  crowding_shift: 'Crowding shift',
  crowding_persistent: 'Crowding persistent',
  regime_transition_candidate: 'Regime transition candidate',
  market_state_watch: 'Routine / noise case',
  insufficient_evidence: 'Insufficient evidence',
  replay_context_ready: 'Retained packet context',
};

export function stateLabel(state: string): string {
  return (LABELS as Readonly<Record<string, string>>)[state] ?? sentenceCase(words(state));
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export const COMPOSITE_NAMES = [
  ['pressure', 'Pressure'],
  ['flow', 'Flow'],
  ['fragility', 'Fragility'],
  ['crowding', 'Crowding'],
  ['forced_flow', 'Forced flow'],
  ['regime', 'Regime'],
] as const;

export function severityWord(severityClass: string): string {
  return words(severityClass.replace(/_context$/, ''));
}

/**
 * Severity score, its class, and the lowest score of each class for that packet. First-edition packets have no bounds.
 */
interface SeverityReading {
  readonly score: number;
  readonly severity_class: string;
  readonly bounds?: { readonly elevated: number; readonly high: number; readonly critical: number; readonly source: string } | undefined;
}

/** Bound shown after the class: `, from 0.59`, or `, under 0.54` for routine. */
function boundWords({ severity_class: name, bounds }: SeverityReading): string {
  if (bounds === undefined) return '';
  const { elevated, high, critical } = bounds;
  const from = { elevated_context: elevated, high_context: high, critical_context: critical }[name];
  return from === undefined ? `, under ${elevated.toFixed(2)}` : `, from ${from.toFixed(2)}`;
}

export function boundsWords({ bounds }: SeverityReading): string {
  if (bounds === undefined) return 'This packet has no severity bounds.';
  const { elevated, high, critical, source } = bounds;
  const origin = source === 'symbol_rolling_quantile' ? "from this symbol's session" : 'policy defaults';
  return `Elevated from ${elevated.toFixed(2)}, high from ${high.toFixed(2)}, critical from ${critical.toFixed(2)}: ${origin}.`;
}

export function severityText(severity: SeverityReading): string {
  return `${severity.score.toFixed(2)} ${severityWord(severity.severity_class)}${boundWords(severity)}`;
}

/** The tooltip shows all bounds, which differ by symbol and hour. */
export function Severity({ severity, soft }: { readonly severity: SeverityReading; readonly soft?: string | undefined }) {
  return (
    <span title={boundsWords(severity)}>
      {severity.score.toFixed(2)}{' '}
      <span className={soft}>
        {severityWord(severity.severity_class)}
        {boundWords(severity)}
      </span>
    </span>
  );
}
