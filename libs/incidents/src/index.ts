export { fromIncidentFilter, type FilterFault } from './incident-filter';
export { toProtoIncident } from './to-proto-incident';
