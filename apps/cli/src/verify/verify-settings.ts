import type { Span, SigningKey, SymbolSource } from '@market-state/labeler';
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

/** Public keys by their id. */
export type Keys = ReadonlyMap<string, SigningKey>;

/** Verifies one symbol and tells of it. `keys` null: signatures are not checked. */
export type VerifyEach = (source: SymbolSource, keys: Keys | null) => Promise<void>;

/** Which packets are meant, and where a running system keeps them. */
export interface SystemSettings {
  readonly symbol?: string;
  readonly span: Partial<Span>;
  readonly policy?: string;
  readonly dataDir?: string;
  readonly labeling?: string;
  readonly dataPlane?: string;
}

/** The options that `readSystemSettings` reads. */
export function withSystemOptions(command: CliCommand): CliCommand {
  return command
    .option('--symbol <symbol>', 'this symbol only')
    .option('--from <time>', 'first window end, inclusive: UTC time or epoch milliseconds')
    .option('--to <time>', 'last window end, exclusive')
    .option('--policy <policy>', 'policy the packets were made under; without it, the shipped policy')
    .option('--data-dir <folder>', 'data folder of the running system')
    .option('--labeling <host:port>', 'address of its labeling service')
    .option('--data-plane <host:port>', 'address of its data plane');
}

export function readSystemSettings(options: Options, fault: Fault): SystemSettings {
  const span = { fromMs: instantOption(options, 'from', fault), toMs: instantOption(options, 'to', fault) };
  if (span.fromMs !== undefined && span.toMs !== undefined && span.fromMs >= span.toMs) fault('--to must be after --from');
  const labeling = addressOption(options, 'labeling', 'labeling', fault);
  const dataPlane = addressOption(options, 'dataPlane', 'data-plane', fault);
  if ((labeling === undefined) !== (dataPlane === undefined)) fault('--labeling and --data-plane go together');
  return {
    symbol: symbolOption(options, fault),
    span,
    policy: textOption(options, 'policy'),
    dataDir: textOption(options, 'dataDir'),
    labeling,
    dataPlane,
  };
}

/** The most that the bundle of an event costs, and some more. */
const BUNDLE_CREDITS = 100;
export const VERIFY_FORMATS = ['table', 'ndjson'] as const;

/** What `verify` was asked to do. Without files: a running system. */
export interface VerifySettings extends SystemSettings {
  readonly files: readonly string[];
  readonly key?: string;
  /** Verifies the packet of this event, from the bundle of a service. */
  readonly event?: string;
  /** That service; absent: as other clients find it. */
  readonly url?: string;
  /** Credits that the bundle may cost. */
  readonly maxCredits: number;
  readonly format: (typeof VERIFY_FORMATS)[number];
}

export function readVerifySettings(files: readonly string[], options: Options, fault: Fault): VerifySettings {
  const system = readSystemSettings(options, fault);
  const { dataDir, labeling, dataPlane } = system;
  if (files.length > 0 && (dataDir ?? labeling ?? dataPlane) !== undefined)
    fault('files and the address of a running system exclude each other');
  const event = textOption(options, 'event');
  if (event !== undefined && !EVENT_ID.test(event)) fault(`--event must be an event id, evt_…, not ${JSON.stringify(event)}`);
  if (
    event !== undefined &&
    (files.length > 0 || (labeling ?? dataPlane ?? system.symbol ?? system.span.fromMs ?? system.span.toMs) !== undefined)
  )
    fault('--event is of one packet of a service: files, --symbol, --from, --to, --labeling and --data-plane do not go with it');
  const url = serviceUrlOption(options, fault);
  if (event === undefined && url !== undefined) fault('--url goes with --event');
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
