import type { Fault } from '../arguments/cli-command';
import { choiceOption, textOption, type Options } from '../arguments/values';

const FORMATS = ['table', 'ndjson'] as const;

/** What `verify-export` was asked to do. */
export interface VerifyExportSettings {
  readonly folder: string;
  /** The service to compare with; absent: only what the folder says of itself is checked. */
  readonly rest?: { readonly url: string; readonly key: string };
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
    rest: restOf(textOption(options, 'url'), textOption(options, 'key'), apiKey, fault),
    windows: options['windows'] === true,
    format: choiceOption(options, 'format', FORMATS, fault),
  };
}

function restOf(url: string | undefined, key: string | undefined, apiKey: string | undefined, fault: Fault): VerifyExportSettings['rest'] {
  if (url === undefined) {
    if (key !== undefined) fault('--key goes with --url');
    return undefined;
  }
  if (!/^https?:\/\/[^/?#\s]+\/?$/.test(url)) fault(`--url must look like http://127.0.0.1:8080, not ${JSON.stringify(url)}`);
  const given = key ?? apiKey;
  if (given === undefined) fault('--url needs a key: set MARKET_STATE_API_KEY or give --key');
  return { url: url.replace(/\/$/, ''), key: given ?? '' };
}
