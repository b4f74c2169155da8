export { faultsOf, isDeclaredAbsent, readExposed, readQuery, withoutVariables } from './exposed';
export { monitoringFiles, monitoringFolder, readAlerts, readBoardQueries } from './boards-main';
export { readRunbooks, useOf, variableOf } from './runbooks';
