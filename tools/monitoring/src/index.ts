export { faultsOf, isDeclaredAbsent, readExposed, readQuery, withoutVariables } from './exposed';
export { monitoringFiles, monitoringFolder, readAlerts, readDashboardQueries } from './dashboards-main';
export { readRunbooks, useOf, variableOf } from './runbooks';
