import { clock } from '../../time/clock';
import type { RecomputeAnswer } from '../use-recompute';

export type CheckedAnswer = Extract<RecomputeAnswer, { readonly type: 'checked' }>;

/** Whose key the signatures are compared with: `sample` is one that anyone can sign with, `given` is the reader's own choice. */
export type KeyKind = 'published' | 'given' | 'sample';

/** One of the three checks, for people. */
export interface CheckLine {
  readonly name: 'Body' | 'Maker' | 'Derivation';
  readonly mark: 'yes' | 'no' | 'open';
  readonly words: string;
  /** How it is checked, and what it does not show. */
  readonly detail: string;
}

const KEY_DETAILS: Readonly<Record<KeyKind, string>> = {
  published: 'Ed25519 over each digest, checked against the keys that the service publishes.',
  given: 'Ed25519 over each digest, checked against the keys that you gave.',
  sample:
    'This does not prove who made the sample: the private half of its key is public, so anyone could have signed it. ' +
    'It shows how the check is done. Packets of the service are signed with a key of its own.',
};

/** The three checks in their order; without an answer, all of them are open and say `waiting`. */
export function checkLines(checked: { answer: CheckedAnswer; tookMs: number } | null, key: KeyKind, waiting: string): readonly CheckLine[] {
  return [
    { name: 'Body', detail: 'SHA-256 of each packet as RFC 8785 JSON, compared with the digest beside it.', ...body(checked, waiting) },
    { name: 'Maker', detail: KEY_DETAILS[key], ...maker(checked, key, waiting) },
    { name: 'Derivation', detail: derivationDetail(checked), ...derivation(checked, waiting) },
  ];
}

const KEY_WORDS: Readonly<Record<KeyKind, string>> = {
  published: 'a published key',
  given: 'a key that you gave',
  sample: "the sample's key, which is public: no maker is proved",
};

type Finding = Pick<CheckLine, 'mark' | 'words'>;
type Checked = { readonly answer: CheckedAnswer; readonly tookMs: number } | null;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

function body(checked: Checked, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, body: found } = checked.answer.check;
  return found.outcome === 'holds'
    ? { mark: 'yes', words: `${whole(packetTotal)} packets match their digests` }
    : { mark: 'no', words: `${whole(packetTotal - found.packetTotal)} of ${whole(packetTotal)} packets do not match their digests` };
}

function maker(checked: Checked, key: KeyKind, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, maker: found } = checked.answer.check;
  switch (found.outcome) {
    case 'not_checked':
      return { mark: 'open', words: 'not checked: the packets are not signed, or of another policy' };
    case 'broken':
      return { mark: 'no', words: `${whole(packetTotal - found.packetTotal)} of ${whole(packetTotal)} signatures are of no such key` };
    case 'holds': {
      const fit = `${whole(packetTotal)} signatures fit`;
      return {
        mark: 'yes',
        words: `${fit} ${KEY_WORDS[key]}`,
      };
    }
  }
}

function derivation(checked: Checked, waiting: string): Finding {
  if (checked === null) return { mark: 'open', words: waiting };
  const { packetTotal, entryTotal, derivation: found } = checked.answer.check;
  if (found.outcome === 'not_checked') return { mark: 'open', words: 'not checked' };
  const read = `${whole(entryTotal)} entries read, ${whole(checked.tookMs)} ms`;
  return found.outcome === 'holds'
    ? { mark: 'yes', words: `${whole(packetTotal)} packets linked, ${read}: the same bytes` }
    : { mark: 'no', words: `${whole(found.packetTotal)} of ${whole(packetTotal)} packets come out the same, ${read}` };
}

function derivationDetail(checked: Checked): string {
  const how = 'Each packet is made again from the log by the labeler itself, in this browser, and compared byte for byte.';
  const checkpointMs = checked?.answer.check.checkpointMs;
  if (checkpointMs === undefined || checkpointMs === null) return how;
  return `${how} It begins at the checkpoint of ${clock(checkpointMs)}.`;
}
