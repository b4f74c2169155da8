export { bootService, type RunningService, type Service, type ServiceSettings } from './boot-service';
