import { type SigningKey, SourceError, type Span, type SymbolSource } from '@market-state/labeler';
import type { Fault, CliCommand } from '../arguments/cli-command';
import {
  choiceOption,
  EVENT_ID,
  numberOption,
  serviceUrlOption,
  textOption,
  type Options,
  addressOption,
  instantOption,
  symbolOption,
} from '../arguments/values';
import { badInput, incomplete } from '../cli-error';

/** @throws CliError in place of SourceError */
export async function withCliErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.reason === 'incomplete') throw incomplete(...error.lines);
    const hints = error.reason === 'foreign' ? ['Every line must name its schema. Convert venue recordings with "market-state rows".'] : [];
    throw badInput(...error.lines, ...hints);
  }
}

export type Keys = ReadonlyMap<string, SigningKey>;

/** Verifies and reports one symbol. Signatures are not checked if `keys` is null. */
export type VerifyEach = (source: SymbolSource, keys: Keys | null) => Promise<void>;

export interface SystemSettings {
  readonly symbol?: string;
  readonly span: Partial<Span>;
  readonly policy?: string;
  readonly dataDir?: string;
  readonly labeling?: string;
  readonly dataPlane?: string;
}

export function withSystemOptions(command: CliCommand): CliCommand {
  return command
    .option('--symbol <symbol>', 'only this symbol')
    .option('--from <time>', 'first window end, inclusive: UTC time, epoch milliseconds, or relative: -1h, yesterday')
    .option('--to <time>', 'last window end, exclusive')
    .option('--policy <policy>', 'policy the packets were made under (default: the shipped policy)')
    .option('--data-dir <folder>', 'data folder of the running system')
    .option('--labeling <host:port>', 'address of the labeling service')
    .option('--data-plane <host:port>', 'address of the data plane');
}

export function readSystemSettings(options: Options, fault: Fault): SystemSettings {
  const span = { fromMs: instantOption(options, 'from', fault), toMs: instantOption(options, 'to', fault) };
  if (span.fromMs !== undefined && span.toMs !== undefined && span.fromMs >= span.toMs) fault('--to must be after --from');
  const labeling = addressOption(options, 'labeling', fault);
  const dataPlane = addressOption(options, 'dataPlane', fault);
  if ((labeling === undefined) !== (dataPlane === undefined)) fault('--labeling and --data-plane must be used together');
  return {
    symbol: symbolOption(options, fault),
    span,
    policy: textOption(options, 'policy'),
    dataDir: textOption(options, 'dataDir'),
    labeling,
    dataPlane,
  };
}

/** Higher than the most an event's bundle costs. */
const BUNDLE_CREDITS = 100;
export const VERIFY_FORMATS = ['table', 'ndjson', 'json'] as const;

/** Without files: a running system. */
export interface VerifySettings extends SystemSettings {
  readonly files: readonly string[];
  readonly key?: string;
  /** Event whose packet is verified from a service's bundle. */
  readonly event?: string;
  /** Absent: resolved as for other client commands. */
  readonly url?: string;
  readonly maxCredits: number;
  readonly format: (typeof VERIFY_FORMATS)[number];
}

export function readVerifySettings(files: readonly string[], options: Options, fault: Fault): VerifySettings {
  const system = readSystemSettings(options, fault);
  const { dataDir, labeling, dataPlane } = system;
  if (files.length > 0 && (dataDir ?? labeling ?? dataPlane) !== undefined) fault('use either files or the address of a running system');
  const event = textOption(options, 'event');
  if (event !== undefined && !EVENT_ID.test(event)) fault(`--event must be an event id, evt_…, not ${JSON.stringify(event)}`);
  if (
    event !== undefined &&
    (files.length > 0 || (labeling ?? dataPlane ?? system.symbol ?? system.span.fromMs ?? system.span.toMs) !== undefined)
  )
    fault(
      '--event verifies one packet from a service; it cannot be combined with files, --symbol, --from, --to, --labeling or --data-plane',
    );
  const url = serviceUrlOption(options, fault);
  if (event === undefined && url !== undefined) fault('--url requires --event');
  const maxCredits = numberOption(options, 'maxCredits', { min: 0, max: 1_000_000_000, integer: true }, fault) ?? BUNDLE_CREDITS;
  return {
    ...system,
    files,
    event,
    url,
    maxCredits,
    key: textOption(options, 'key'),
    format: choiceOption(options, 'output', VERIFY_FORMATS, fault),
  };
}
