/** Client commands of the public API, loaded only for one of these or for help. */
export { accountCommand, usageCommand } from './commands/account';
export { alertsCommand } from './commands/alerts';
export { completionCommand, writeCandidates } from './commands/completion';
export { destinationsCommand, webhooksCommand } from './commands/destinations';
export { exportCommand } from './commands/export';
export { getCommand, historyCommand } from './commands/reads';
export { loginCommand, whoamiCommand } from './commands/login';
export { replayCommand } from './commands/replay';
export { searchCommand, searchesCommand } from './commands/searches';
export { sharesCommand } from './commands/shares';
export { tailCommand } from './commands/tail';
export { watchlistsCommand } from './commands/alerts';
