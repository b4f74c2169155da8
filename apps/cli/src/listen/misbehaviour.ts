import type { Fault } from '../arguments/cli-command';

const PART = /^(hang|[345]\d\d):(\d{1,3})%$/;

/** How a receiver fails on purpose: what it answers instead, and in how many of a hundred deliveries. */
export type Misbehaviour = readonly { readonly answer: number | 'hang'; readonly percent: number }[];

/** Reads `500:30%,hang:10%`. */
export function readMisbehaviour(text: string, fault: Fault): Misbehaviour {
  const parts = text.split(',').filter((part) => part !== '');
  const read = parts.map((part) => {
    const [, answer = '', percent = ''] = PART.exec(part.trim()) ?? [];
    if (answer === '') fault(`--fail must look like 500:30%,hang:10%, not ${JSON.stringify(part)}`);
    return { answer: answer === 'hang' ? ('hang' as const) : Number(answer), percent: Number(percent) };
  });
  const total = read.reduce((sum, { percent }) => sum + percent, 0);
  if (total > 100) fault(`--fail adds up to ${total} %, over 100 %`);
  return read;
}

/** What to do with one delivery. `draw` is from 0 to under 1. */
export function misbehave(misbehaviour: Misbehaviour, draw: number): number | 'hang' | undefined {
  let below = 0;
  for (const { answer, percent } of misbehaviour) {
    below += percent / 100;
    if (draw < below) return answer;
  }
  return undefined;
}
