import type { Fault } from '../arguments/cli-command';
import { choiceOption, textOption, type Options } from '../arguments/values';
import { readSystemSettings, type SystemSettings } from './system-settings';

const VERIFY_FORMATS = ['table', 'ndjson'] as const;

/** What `verify` was asked to do. Without files: a running system. */
export interface VerifySettings extends SystemSettings {
  readonly files: readonly string[];
  readonly key?: string;
  readonly format: (typeof VERIFY_FORMATS)[number];
}

export function readVerifySettings(files: readonly string[], options: Options, fault: Fault): VerifySettings {
  const system = readSystemSettings(options, fault);
  const { dataDir, labeling, dataPlane } = system;
  if (files.length > 0 && (dataDir ?? labeling ?? dataPlane) !== undefined)
    fault('files and the address of a running system exclude each other');
  return { ...system, files, key: textOption(options, 'key'), format: choiceOption(options, 'format', VERIFY_FORMATS, fault) };
}
