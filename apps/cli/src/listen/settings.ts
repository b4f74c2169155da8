import type { Fault } from '../arguments/cli-command';
import { numberOption, serviceUrlOption, textOption, type Options } from '../arguments/values';
import { readMisbehaviour, type Misbehaviour } from './misbehaviour';

const PORT_MAX = 65_535;
const KIND = /^[a-z_]+\.[a-z_]+$/;

/** What `listen` was asked to do. */
export type ListenSettings = ForwardSettings | ServeSettings;

interface Shared {
  readonly dataDir?: string;
}

export interface ForwardSettings extends Shared {
  readonly mode: 'forward';
  /** Where messages are posted. */
  readonly target: string;
  /** Kinds of message wanted; none: all. */
  readonly kinds: readonly string[];
  /** The service to ask; absent: the one that runs on this machine. */
  readonly url?: string;
}

export interface ServeSettings extends Shared {
  readonly mode: 'serve';
  readonly port: number;
  readonly misbehaviour: Misbehaviour;
}

export function readListenSettings(operands: readonly string[], options: Options, fault: Fault): ListenSettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  const shared = { dataDir: textOption(options, 'dataDir') };
  const target = textOption(options, 'forwardTo');
  const isServing = textOption(options, 'serve') !== undefined;
  if ((target !== undefined) === isServing) fault('give either --forward-to or --serve');
  return isServing ? { ...shared, ...readServe(options, fault) } : { ...shared, ...readForward(target ?? '', options, fault) };
}

function readServe(options: Options, fault: Fault): ServeSettings {
  for (const name of ['url', 'kinds']) if (textOption(options, name) !== undefined) fault(`--${name} goes with --forward-to`);
  const port = numberOption(options, 'serve', { min: 1, max: PORT_MAX, integer: true }, fault) ?? 0;
  return { mode: 'serve', port, misbehaviour: readMisbehaviour(textOption(options, 'fail') ?? '', fault) };
}

function readForward(target: string, options: Options, fault: Fault): ForwardSettings {
  if (textOption(options, 'fail') !== undefined) fault('--fail goes with --serve');
  if (target !== '' && !(URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)))
    fault(`--forward-to must look like http://127.0.0.1:3000/hook, not ${JSON.stringify(target)}`);
  const kinds = (textOption(options, 'kinds') ?? '').split(',').filter((kind) => kind !== '');
  for (const kind of kinds)
    if (!KIND.test(kind)) fault(`--kinds must look like alert.triggered,export.finished, not ${JSON.stringify(kind)}`);
  return { mode: 'forward', target, kinds, url: serviceUrlOption(options, fault) };
}
