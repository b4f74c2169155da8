export { faultsOf, isDeclaredAbsent, readExposed } from './exposed';
export { monitoringFiles, monitoringFolder, readAlerts, readBoardQueries } from './files';
export { readQuery, withoutVariables } from './promql';
export { readRunbooks, useOf, variableOf } from './runbooks';
