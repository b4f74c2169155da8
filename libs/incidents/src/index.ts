export { fromIncidentFilter, toProtoIncident } from './incident-messages';
