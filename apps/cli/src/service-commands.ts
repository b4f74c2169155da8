/**
 * Commands that call services or venues, loaded only for one of these or for help: they are over twice the size of the
 * rest.
 */
export { archiveCommand } from './commands/archive';
export { certificatesCommand } from './commands/certificates';
export {
  billingCommand,
  claimTokenCommand,
  grantCommand,
  keysCommand,
  ledgerCommand,
  planCommand,
  tenantCommand,
  tenantsCommand,
} from './commands/tenancy';
export { doctorCommand } from './commands/doctor';
export { dumpCommand } from './commands/dump';
export { exporterCommand } from './commands/exporter';
export { importCommand } from './commands/import';
export { instrumentsCommand } from './commands/instruments';
export { listenCommand } from './commands/listen';
export { mcpCommand } from './commands/mcp';
export { recordCommand } from './commands/record';
export { secretsCommand } from './commands/secrets';
export { verifyCommand } from './commands/verify';
export { verifyExportCommand } from './commands/verify-export';
