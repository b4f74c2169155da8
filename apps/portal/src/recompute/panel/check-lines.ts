import { counted } from '@market-state/packet-figures';
import { clock } from '../../time/clock';
import type { RecomputeAnswer } from '../use-recompute';

export type CheckedAnswer = Extract<RecomputeAnswer, { readonly type: 'checked' }>;

/**
 * Key that the signatures are compared with: `sample` is public, so anyone can sign with it; `given` is the reader's
 * own choice.
 */
export type KeyKind = 'published' | 'given' | 'sample';

export interface CheckLine {
  readonly name: 'Body' | 'Maker' | 'Derivation';
  readonly mark: 'yes' | 'no' | 'open';
  readonly words: string;
  readonly detail: string;
}

const KEY_DETAILS: Readonly<Record<KeyKind, string>> = {
  published: 'Ed25519 over each digest, checked against the keys that the service publishes.',
  given: 'Ed25519 over each digest, checked against the keys you provided.',
  sample:
    'This does not prove who signed the sample: its private key is public, so anyone could have done it. ' +
    'It shows how the check works. Packets of the service are signed with a private key of its own.',
};

/** Without an answer all three are open and show `waiting`. */
export function checkLines(checked: { answer: CheckedAnswer; tookMs: number } | null, key: KeyKind, waiting: string): readonly CheckLine[] {
  return [
    { name: 'Body', detail: 'SHA-256 of each packet as RFC 8785 JSON, compared with its recorded digest.', ...body(checked, waiting) },
    { name: 'Maker', detail: KEY_DETAILS[key], ...maker(checked, key, waiting) },
    { name: 'Derivation', detail: derivationDetail(checked), ...derivation(checked, waiting) },
  ];
}

const KEY_WORDS: Readonly<Record<KeyKind, string>> = {
  published: ' for a published key',
  given: ' for a key you provided',
  sample: ", but this sample key is public, so they don't prove who signed",
};

type Finding = Pick<CheckLine, 'mark' | 'words'>;
type Checked = { readonly answer: CheckedAnswer; readonly tookMs: number } | null;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

function body(checked: Checked, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, body: found } = checked.answer.check;
  return found.outcome === 'holds'
    ? { mark: 'yes', words: `${counted(packetTotal, 'packet')} ${packetTotal === 1 ? 'matches its digest' : 'match their digests'}` }
    : { mark: 'no', words: `${whole(packetTotal - found.packetTotal)} of ${whole(packetTotal)} packets do not match their digests` };
}

function maker(checked: Checked, key: KeyKind, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, maker: found } = checked.answer.check;
  switch (found.outcome) {
    case 'not_checked':
      return { mark: 'open', words: 'not checked: the packets are unsigned or use another policy' };
    case 'broken':
      return { mark: 'no', words: `${whole(packetTotal - found.packetTotal)} of ${whole(packetTotal)} signatures do not match such a key` };
    case 'holds':
      return { mark: 'yes', words: `${counted(packetTotal, 'signature')} ${packetTotal === 1 ? 'is' : 'are'} valid${KEY_WORDS[key]}` };
  }
}

function derivation(checked: Checked, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, entryTotal, derivation: found } = checked.answer.check;
  if (found.outcome === 'not_checked') return { mark: 'open', words: 'not checked' };
  const read = `${whole(entryTotal)} entries read, ${whole(checked.tookMs)} ms`;
  return found.outcome === 'holds'
    ? { mark: 'yes', words: `${counted(packetTotal, 'packet')} linked, ${read}: identical bytes` }
    : { mark: 'no', words: `${whole(found.packetTotal)} of ${whole(packetTotal)} packets identical, ${read}` };
}

function derivationDetail(checked: Checked): string {
  const how = 'The labeler itself recomputes each packet from the log in this browser and compares it byte for byte.';
  const checkpointMs = checked?.answer.check.checkpointMs;
  if (checkpointMs === undefined || checkpointMs === null) return how;
  return `${how} It starts at the checkpoint of ${clock(checkpointMs)}.`;
}
