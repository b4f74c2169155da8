/**
 * The commands that talk to services or venues: a part of the program that is read only when one of them or the help is asked for, since
 * it is more than twice the size of the rest.
 */
export { archiveCommand } from './commands/archive';
export { billingCommand } from './commands/billing';
export { certificatesCommand } from './commands/certificates';
export { claimTokenCommand } from './commands/claim-token';
export { doctorCommand } from './commands/doctor';
export { dumpCommand } from './commands/dump';
export { grantCommand } from './commands/grant';
export { keysCommand } from './commands/keys';
export { ledgerCommand } from './commands/ledger';
export { listenCommand } from './commands/listen';
export { mcpCommand } from './commands/mcp';
export { planCommand } from './commands/plan';
export { recordCommand } from './commands/record';
export { secretsCommand } from './commands/secrets';
export { tenantCommand, tenantsCommand } from './commands/tenants';
export { verifyCommand } from './commands/verify';
export { verifyExportCommand } from './commands/verify-export';
