import type { OperationId } from '../src';
import { accountExamples } from './account';
import { agentExamples } from './agents';
import { automationExamples } from './automation';
import type { Example } from './example';
import { exportExamples } from './exports';
import { marketExamples } from './market';
import { openExamples } from './open';

export type { Given } from './example';

/** One example per operation; a missing one does not compile. */
export const examples: Readonly<Record<OperationId, Example>> = {
  ...marketExamples,
  ...exportExamples,
  ...automationExamples,
  ...accountExamples,
  ...agentExamples,
  ...openExamples,
};
