import type { Fault } from '../arguments/cli-command';
import { choiceOption, serviceUrlOption, textOption, type Options } from '../arguments/values';
import type { RestAccess } from '../io/rest-api';

const FORMATS = ['table', 'ndjson'] as const;

/** What `verify-export` was asked to do. */
export interface VerifyExportSettings {
  readonly folder: string;
  /** The service to compare with; absent: only what the folder says of itself is checked. */
  readonly rest?: RestAccess;
  /** Print the chain of every hour too. */
  readonly windows: boolean;
  readonly format: (typeof FORMATS)[number];
}

/** `apiKey`: what the environment has. */
export function readVerifyExportSettings(
  operands: readonly string[],
  options: Options,
  apiKey: string | undefined,
  fault: Fault,
): VerifyExportSettings {
  const [folder = '', ...more] = operands;
  if (more.length > 0) fault(`one folder at a time, not also ${more.join(', ')}`);
  return {
    folder,
    rest: restOf(serviceUrlOption(options, fault), textOption(options, 'key'), apiKey, fault),
    windows: options['windows'] === true,
    format: choiceOption(options, 'format', FORMATS, fault),
  };
}

function restOf(url: string | undefined, key: string | undefined, apiKey: string | undefined, fault: Fault): RestAccess | undefined {
  if (url === undefined) {
    if (key !== undefined) fault('--key goes with --url');
    return undefined;
  }
  const given = key ?? apiKey;
  if (given === undefined) fault('--url needs a key: set MARKET_STATE_API_KEY or give --key');
  return { url, key: given ?? '' };
}
