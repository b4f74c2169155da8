import type { ExitCode } from '../cli-error';

/** What came of an operator's command. */
export interface Done {
  /** For stdout. */
  readonly lines: readonly string[];
  /** For stderr. */
  readonly notes?: readonly string[];
  readonly exitCode?: ExitCode;
}
