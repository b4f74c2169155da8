/** Commands on recordings. Bundled separately and loaded only for one of these commands or for help. */
export { diffPolicyCommand } from './commands/diff-policy';
export { labelCommand } from './commands/label';
export { reportCommand } from './commands/report';
export { rowsCommand } from './commands/rows';
export { scenarioCommand } from './commands/scenario';
export { stabilityCommand } from './commands/stability';
