export { fromIncidentFilter } from './incident-filter';
export { toProtoIncident } from './to-proto-incident';
