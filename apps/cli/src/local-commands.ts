/** The commands that label recordings: a part of the program that is read when one of them or the help is asked for. */
export { diffPolicyCommand } from './commands/diff-policy';
export { labelCommand } from './commands/label';
export { reportCommand } from './commands/report';
export { rowsCommand } from './commands/rows';
export { scenarioCommand } from './commands/scenario';
export { stabilityCommand } from './commands/stability';
