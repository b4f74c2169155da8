import { delimiter, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { completionsIn, hasShell, SHELLS } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { CliScene } from './scene';

/** Completion of commands and of the symbols that this system serves, in the shells of this machine. */
export async function verifyShells({ report }: SuiteContext, { system, key, folder }: CliScene): Promise<void> {
  const env = {
    ...process.env,
    PATH: [join(workspaceRoot(), 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
    XDG_CONFIG_HOME: join(folder, 'shells'),
    MARKET_STATE_URL: system.url,
    MARKET_STATE_API_KEY: key,
  };
  for (const shell of SHELLS) {
    if (!hasShell(shell)) {
      report.figure(`completion in ${shell}`, 'not installed here');
      continue;
    }
    const said = completionsIn(shell, env, folder);
    const wanted = shell === 'zsh' ? ['ETHUSD-PERP'] : ['book', 'BTCUSD-PERP'];
    report.check(
      wanted.every((word) => said.includes(word)),
      `Completion in ${shell} has ${said || 'nothing'}.`,
    );
    report.figure(`completion in ${shell}`, 'commands and symbols of the service');
  }
}
