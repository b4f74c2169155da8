import type { Fault } from '../arguments/cli-command';
import { listOption, numberOption, type Options, serviceUrlOption, textOption } from '../arguments/values';
import { readResultFormat, type ResultFormat } from '../output/settings';

const PART = /^(hang|[345]\d\d):(\d{1,3})%$/;

/** Simulated failures: the response, and the percentage of deliveries that get it. */
type Misbehaviour = readonly { readonly answer: number | 'hang'; readonly percent: number }[];

/** Reads `500:30%,hang:10%`. */
export function readMisbehaviour(text: string, fault: Fault): Misbehaviour {
  const parts = text.split(',').filter((part) => part !== '');
  const read = parts.map((part) => {
    const [, answer = '', percent = ''] = PART.exec(part.trim()) ?? [];
    if (answer === '') fault(`--fail must look like 500:30%,hang:10%, not ${JSON.stringify(part)}`);
    return { answer: answer === 'hang' ? ('hang' as const) : Number(answer), percent: Number(percent) };
  });
  const total = read.reduce((sum, { percent }) => sum + percent, 0);
  if (total > 100) fault(`--fail adds up to ${total} %; the maximum is 100 %`);
  return read;
}

/** Picks the failure of one delivery. `draw` is in [0, 1). */
export function misbehave(misbehaviour: Misbehaviour, draw: number): number | 'hang' | undefined {
  let below = 0;
  for (const { answer, percent } of misbehaviour) {
    below += percent / 100;
    if (draw < below) return answer;
  }
  return undefined;
}

const PORT_MAX = 65_535;
const KIND = /^[a-z_]+\.[a-z_]+$/;

export type ListenSettings = ForwardSettings | ServeSettings;

interface Shared {
  readonly format: ResultFormat;
  readonly dataDir?: string;
}

export interface ForwardSettings extends Shared {
  readonly mode: 'forward';
  readonly target: string;
  /** Message kinds to forward; empty for all. */
  readonly kinds: readonly string[];
  /** Absent: the system on this machine. */
  readonly url?: string;
}

export interface ServeSettings extends Shared {
  readonly mode: 'serve';
  readonly port: number;
  readonly misbehaviour: Misbehaviour;
}

export function readListenSettings(operands: readonly string[], options: Options, fault: Fault): ListenSettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  const shared = { dataDir: textOption(options, 'dataDir'), format: readResultFormat(options, fault) };
  const target = textOption(options, 'forwardTo');
  const isServing = textOption(options, 'serve') !== undefined;
  if ((target !== undefined) === isServing) fault('use either --forward-to or --serve');
  return isServing ? { ...shared, ...readServe(options, fault) } : { ...shared, ...readForward(target ?? '', options, fault) };
}

function readServe(options: Options, fault: Fault): Omit<ServeSettings, 'format'> {
  for (const name of ['url', 'kinds']) if (textOption(options, name) !== undefined) fault(`--${name} requires --forward-to`);
  const port = numberOption(options, 'serve', { min: 1, max: PORT_MAX, integer: true }, fault) ?? 0;
  return { mode: 'serve', port, misbehaviour: readMisbehaviour(textOption(options, 'fail') ?? '', fault) };
}

function readForward(target: string, options: Options, fault: Fault): Omit<ForwardSettings, 'format'> {
  if (textOption(options, 'fail') !== undefined) fault('--fail requires --serve');
  if (target !== '' && !(URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)))
    fault(`--forward-to must look like http://127.0.0.1:3000/hook, not ${JSON.stringify(target)}`);
  const kinds = listOption(options, 'kinds');
  for (const kind of kinds)
    if (!KIND.test(kind)) fault(`--kinds must look like alert.triggered,export.finished, not ${JSON.stringify(kind)}`);
  return { mode: 'forward', target, kinds, url: serviceUrlOption(options, fault) };
}
