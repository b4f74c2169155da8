import type { Fault } from '../arguments/cli-command';
import { choiceOption, serviceUrlOption, type Options } from '../arguments/values';

export const FORMATS = ['table', 'ndjson', 'json'] as const;

export interface VerifyExportSettings {
  readonly folder: string;
  /** Service to compare with; absent: only the folder is checked. */
  readonly url?: string;
  readonly windows: boolean;
  readonly format: (typeof FORMATS)[number];
}

export function readVerifyExportSettings(operands: readonly string[], options: Options, fault: Fault): VerifyExportSettings {
  const [folder = '', ...more] = operands;
  if (more.length > 0) fault(`name one folder only, not also ${more.join(', ')}`);
  return {
    folder,
    url: serviceUrlOption(options, fault),
    windows: options['windows'] === true,
    format: choiceOption(options, 'output', FORMATS, fault),
  };
}
