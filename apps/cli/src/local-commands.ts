/** Commands on recordings, loaded only for one of these or for help. */
export { diffPolicyCommand } from './commands/diff-policy';
export { labelCommand } from './commands/label';
export { reportCommand } from './commands/report';
export { rowsCommand } from './commands/rows';
export { scenarioCommand } from './commands/scenario';
export { stabilityCommand } from './commands/stability';
