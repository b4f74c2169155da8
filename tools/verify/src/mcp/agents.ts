import type { Closer } from '@market-state/lifecycle';
import { type Agent, type Era, ERAS, openHttpAgent, openStdioAgent } from '@market-state/testing';

/** An agent, and how it reaches the service. */
export interface OpenAgent {
  readonly transport: 'http' | 'stdio';
  readonly era: Era;
  readonly agent: Agent;
  /** Both in words. */
  readonly name: string;
}

const CREDITS = '100000';

/** An agent of each transport and era, closed with the suite. */
export async function openEveryAgent(closer: Closer, url: string, key: string): Promise<readonly OpenAgent[]> {
  const opened: OpenAgent[] = [];
  for (const era of ERAS)
    for (const transport of ['http', 'stdio'] as const) {
      const agent =
        transport === 'http' ? await openHttpAgent(url, key, era) : await openStdioAgent(url, key, era, ['--max-credits', CREDITS]);
      closer.add(`${transport} agent`, () => agent.close());
      opened.push({ transport, era, agent, name: `${transport}, ${agent.revision}` });
    }
  return opened;
}
