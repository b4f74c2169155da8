import { boundWords, boundsWords, type SeverityReading, severityWord } from './words';

interface SeverityProps {
  readonly severity: SeverityReading;
  /** Class of the words behind the score. */
  readonly soft?: string | undefined;
}

/** A score of severity with its class and the bound of that class, which differs by symbol and hour. The tooltip has all bounds. */
export function Severity({ severity, soft }: SeverityProps) {
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
