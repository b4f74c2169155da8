import type { OperationId } from '../src';
import { operations } from '../src/generated/operations';
import { accountExamples } from './account';
import { agentExamples } from './agents';
import { automationExamples } from './automation';
import type { Example } from './example';
import { exportExamples } from './exports';
import { marketExamples } from './market';
import { openExamples } from './open';

export type { Given } from './example';

/** Reads of JSON whose path has no parameters. */
type PlainRead = {
  [K in OperationId]: (typeof operations)[K] extends
    | { readonly method: string }
    | { readonly kind: string }
    | { readonly path: `${string}{${string}` }
    ? never
    : K;
}[OperationId];

/** A missing example does not compile, except that of a plain read. */
const own: Readonly<Record<Exclude<OperationId, PlainRead>, Example> & Partial<Record<PlainRead, Example>>> = {
  ...marketExamples,
  ...exportExamples,
  ...automationExamples,
  ...accountExamples,
  ...agentExamples,
  ...openExamples,
};

/** One example per operation; a plain read without its own is called without parameters. */
export const examples = Object.fromEntries(
  (Object.keys(operations) as OperationId[]).map((id): [OperationId, Example] => [id, own[id] ?? ((ms) => ms.call(id as PlainRead, {}))]),
) as Readonly<Record<OperationId, Example>>;
