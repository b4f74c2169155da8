/** The commands that are clients of a service: a part of the program that is read when one of them or the help is asked for. */
export { accountCommand } from './commands/account';
export { alertsCommand } from './commands/alerts';
export { completionCommand, writeCandidates } from './commands/completion';
export { exportCommand } from './commands/export';
export { getCommand } from './commands/get';
export { historyCommand } from './commands/history';
export { loginCommand } from './commands/login';
export { replayCommand } from './commands/replay';
export { searchCommand } from './commands/search';
export { sharesCommand } from './commands/shares';
export { tailCommand } from './commands/tail';
export { usageCommand } from './commands/usage';
export { whoamiCommand } from './commands/whoami';
