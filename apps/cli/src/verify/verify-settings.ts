import type { Fault } from '../arguments/cli-command';
import { addressOption, choiceOption, instantOption, symbolOption, textOption, type Options } from '../arguments/values';
import type { Span } from './symbol-source';

export const VERIFY_FORMATS = ['table', 'ndjson'] as const;

/** What `verify` was asked to do. Without files: a running system. */
export interface VerifySettings {
  readonly files: readonly string[];
  readonly symbol?: string;
  readonly span: Partial<Span>;
  readonly policy?: string;
  readonly key?: string;
  readonly format: (typeof VERIFY_FORMATS)[number];
  readonly dataDir?: string;
  readonly labeling?: string;
  readonly dataPlane?: string;
}

export function readVerifySettings(files: readonly string[], options: Options, fault: Fault): VerifySettings {
  const span = { fromMs: instantOption(options, 'from', fault), toMs: instantOption(options, 'to', fault) };
  if (span.fromMs !== undefined && span.toMs !== undefined && span.fromMs >= span.toMs) fault('--to must lie after --from');
  const dataDir = textOption(options, 'dataDir');
  const labeling = addressOption(options, 'labeling', 'labeling', fault);
  const dataPlane = addressOption(options, 'dataPlane', 'data-plane', fault);
  if ((labeling === undefined) !== (dataPlane === undefined)) fault('--labeling and --data-plane belong together');
  if (files.length > 0 && (dataDir ?? labeling ?? dataPlane) !== undefined) fault('files, and the place of a running system, exclude each other');
  return {
    files,
    symbol: symbolOption(options, fault),
    span,
    policy: textOption(options, 'policy'),
    key: textOption(options, 'key'),
    format: choiceOption(options, 'format', VERIFY_FORMATS, fault),
    dataDir,
    labeling,
    dataPlane,
  };
}
