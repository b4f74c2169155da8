import type { Fault } from '../arguments/cli-command';
import { choiceOption, EVENT_ID, numberOption, serviceUrlOption, textOption, type Options } from '../arguments/values';
import { readSystemSettings, type SystemSettings } from './system-settings';

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
