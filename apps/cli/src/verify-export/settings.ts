import type { Fault } from '../arguments/cli-command';
import { choiceOption, serviceUrlOption, type Options } from '../arguments/values';

export const FORMATS = ['table', 'ndjson'] as const;

/** What `verify-export` was asked to do. */
export interface VerifyExportSettings {
  readonly folder: string;
  /** The service to compare with; absent: only what the folder says of itself is checked. */
  readonly url?: string;
  /** Print the chain of every hour too. */
  readonly windows: boolean;
  readonly format: (typeof FORMATS)[number];
}

export function readVerifyExportSettings(operands: readonly string[], options: Options, fault: Fault): VerifyExportSettings {
  const [folder = '', ...more] = operands;
  if (more.length > 0) fault(`one folder at a time, not also ${more.join(', ')}`);
  return {
    folder,
    url: serviceUrlOption(options, fault),
    windows: options['windows'] === true,
    format: choiceOption(options, 'output', FORMATS, fault),
  };
}
