/** The commands that are clients of a service: a part of the program that is read when one of them or the help is asked for. */
export { accountCommand, usageCommand } from './commands/account';
export { alertsCommand } from './commands/alerts';
export { completionCommand, writeCandidates } from './commands/completion';
export { exportCommand } from './commands/export';
export { getCommand, historyCommand, searchCommand } from './commands/reads';
export { loginCommand, whoamiCommand } from './commands/login';
export { replayCommand } from './commands/replay';
export { sharesCommand } from './commands/shares';
export { tailCommand } from './commands/tail';
